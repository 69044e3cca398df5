import ArgumentParser
import Dispatch
import Foundation

struct Fleet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays clients of several replicas that run already, and writes down what they were told.")

  @Option(help: "The address of a replica; once for each.")
  var replica: [String]

  @Option(help: "How long to play; less, if SIGTERM is sent.")
  var seconds = 10

  @Option(help: "How many clients ask at a time.")
  var clients = 32

  @Option(help: "How many accounts the clients use.")
  var accounts = 20

  @Flag(help: "Nothing but writes of one account each.")
  var writes = false

  @Option(help: ArgumentHelp("Where to write what clients were told.", valueName: "file"))
  var told: String

  func validate() throws {
    if accounts < 2, !writes { throw ValidationError("a transfer needs two accounts") }
  }

  func run() async throws {
    let play = Play(
      urls: replica, clients: clients, mix: Mix(accounts: accounts, isOnlyWrites: writes), loss: .goElsewhere)
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    source.setEventHandler { play.stop.isAsked.store(true, ordering: .relaxed) }
    source.resume()
    let begin = ContinuousClock.now
    try await play.run(for: .seconds(seconds))
    let took = ContinuousClock.now - begin
    source.cancel()
    let counts = play.tally.counts
    try JSONEncoder().encode(counts).write(to: URL(filePath: told))
    print(Double(counts.nanoseconds.count) / (took / .seconds(1)))
  }
}
