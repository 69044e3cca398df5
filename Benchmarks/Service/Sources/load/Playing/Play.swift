import Foundation
import Servers
import Synchronization

/// Many clients of one server, or of several.
struct Play: Sendable {
  /// What a client does that gets no answer.
  enum Loss: Sendable { case leave, goElsewhere }

  let urls: [String]
  let clients: Int
  let mix: Mix
  var loss = Loss.leave
  var repetitions = 0
  let tally = Tally()
  let stop = Stop()

  /// Ends the play before its time is over.
  final class Stop: Sendable { let isAsked = Atomic(false) }

  /// Goes on until the time is over, or until all clients have left.
  func run(for duration: Duration) async throws {
    let http = HTTPClient()
    let end = ContinuousClock.now + duration
    await withTaskGroup { group in
      for number in 0..<clients {
        group.addTask {
          var number = number
          while ContinuousClock.now < end, !stop.isAsked.load(ordering: .relaxed) {
            let broken = tally.counts(\.broken)
            let client = BankClient(urls: urls, http: http, tally: tally, repetitions: repetitions)
            await mix.step(mix.isSticky ? client : client.beginning(at: number))
            if tally.counts(\.broken) == broken { continue }
            // Perhaps it was another client's connection: then this one leaves a little early, or goes elsewhere.
            if loss == .leave { return }
            number += 1
            try? await Task.sleep(for: .milliseconds(20))
          }
        }
      }
      await group.waitForAll()
    }
  }
}
