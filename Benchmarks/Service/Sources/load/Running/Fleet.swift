import ArgumentParser
import Bank
import Dispatch
import Foundation

struct Fleet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays clients of several replicas that run already, and writes down what they were told.")

  @OptionGroup var fleet: Replicas

  @Option(help: "How long to play; less, if SIGTERM is sent.")
  var seconds = 10

  @Option(help: "How many clients ask at a time.")
  var clients = 32

  @Flag(help: "Nothing but writes of one account each.")
  var writes = false

  @Flag(help: "Each account is written at one replica; otherwise at all of them.")
  var sticky = false

  func validate() throws {
    if fleet.accounts < 2, !writes { throw ValidationError("a transfer needs two accounts") }
  }

  func run() async throws {
    let mix = Mix(accounts: fleet.accounts, isOnlyWrites: writes, isSticky: sticky)
    let play = Play(urls: fleet.replica, clients: clients, mix: mix, loss: .goElsewhere, repetitions: fleet.again)
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    source.setEventHandler { play.stop.isAsked.store(true, ordering: .relaxed) }
    source.resume()
    let begin = ContinuousClock.now
    try await play.run(for: .seconds(seconds))
    let took = ContinuousClock.now - begin
    source.cancel()
    let counts = play.tally.counts
    try fleet.tell(counts)
    print(Double(counts.nanoseconds.count) / (took / .seconds(1)))
  }
}
