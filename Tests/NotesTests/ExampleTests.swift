import Foundation
import Testing

@testable import notes

/// The scripts that are shipped, in every way, beside what they say of themselves.
@Suite(.watched) struct ExampleTests {
  /// What a script must show in one way.
  struct Showing: Sendable, CustomStringConvertible {
    let script: String
    let way: Way
    /// What the summary says, and the script of itself.
    let counts: String
    /// Calls that wait for a turn; those that come later may find the line free, or not on a busy machine.
    let waits: ClosedRange<Int>
    /// What else is said.
    let words: [String]

    var description: String { "\(script) through \(way)" }
  }

  private static let showings: [Showing] = {
    let calls = "22 calls, 17 reads and 5 writes; "
    let queue = "12 calls, 2 reads and 10 writes; "
    let right = ["✓ Why nothing went wrong", "store right, answers right."]
    let wrong = ["! What went wrong", "expected of a plain actor"]
    return [
      Showing(
        script: "a-busy-screen", way: .coalescing, counts: calls + "6 backend reads, 11 saved", waits: 6...10,
        words: right + ["each write ran alone", "11 reads joined an equal one"]),
      Showing(
        script: "a-busy-screen", way: .serial, counts: calls + "17 backend reads, 0 saved", waits: 19...21,
        words: right),
      Showing(
        script: "a-busy-screen", way: .actor, counts: "17 backend reads, 0 saved", waits: 0...0,
        words: wrong + ["answers WRONG."]),
      Showing(
        script: "an-offline-queue", way: .coalescing, counts: queue + "1 backend read, 1 saved", waits: 10...10,
        words: right + ["the store holds 2 notes", "failed, as it must: there is no note 2."]),
      Showing(
        script: "an-offline-queue", way: .serial, counts: queue + "2 backend reads, 0 saved", waits: 11...11,
        words: right + ["the store holds 2 notes", "failed, as it must: there is no note 2."]),
      Showing(
        script: "an-offline-queue", way: .actor, counts: "2 backend reads, 0 saved", waits: 0...0,
        words: wrong + ["store WRONG", "note 2 is in the store, where it should not be"]),
    ]
  }()

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples")

  private func text(_ script: String) throws -> String {
    try String(contentsOf: Self.folder.appendingPathComponent("\(script).jsonl"), encoding: .utf8)
  }

  // Fails if: reads merge across a write, or do not merge at all, or the plain actor’s failure is a failure of the program.
  @Test(arguments: showings) func aScriptShowsWhatItSaysItShows(_ showing: Showing) async throws {
    let transcript = Transcript()
    let path = Self.folder.appendingPathComponent("\(showing.script).jsonl").path
    let status = await transcript.run(["--script", path, "--through", showing.way.rawValue])
    #expect(status == .right)
    let output = transcript.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for words in showing.words + [showing.counts, "through \(showing.way.title)"] {
      #expect(output.contains(words), "\(transcript.output)")
    }
    let waits = try #require(output.firstMatch(of: /saved; (\d+) waits? for a turn/))
    #expect(showing.waits.contains(try #require(Int(waits.1))))
    #expect(output.contains("joined an equal read") == (showing.way == .coalescing))
    #expect(try text(showing.script).contains(showing.counts))
  }

  // Fails if: what a script says it shows is no longer what its calls come to, however they are timed.
  @Test func theCountsFollowFromTheCallsAlone() throws {
    for (script, found, reads) in [("a-busy-screen", 2, 6), ("an-offline-queue", 2, 1)] {
      guard case .calls(let calls) = ScriptParser.parse(Data(try text(script).utf8)) else {
        Issue.record("\(script) has bad lines")
        return
      }
      var store = ExpectedStore([])
      var batch: [Call: Duration] = [:]
      var backendReads = 0
      for call in calls {
        _ = store.perform(call.call)
        guard call.call.isRead else {
          batch = [:]
          continue
        }
        if batch[call.call] == nil { backendReads += 1 }
        // Equal reads of two moments would be one or not, as time wills.
        let before = batch.updateValue(call.at, forKey: call.call)
        #expect(before == nil || before == call.at)
      }
      #expect(store.notes.count == found)
      #expect(backendReads == reads)
    }
  }
}
