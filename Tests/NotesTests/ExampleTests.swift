import Foundation
import Testing

@testable import notes

/// The scripts that come with the program, in every way, compared with what they say of themselves.
@Suite(.watched) struct ExampleTests {
  /// What a script must show in one way.
  struct Showing: Sendable, CustomStringConvertible {
    let example: Example
    let way: Way
    /// What the summary says, and the script of itself.
    let counts: String
    /// Calls that wait for a turn; those that come later may find the line free, or not on a busy machine.
    let waits: ClosedRange<Int>
    /// What else is said.
    let words: [String]

    var description: String { "\(example.rawValue) through \(way)" }
  }

  private static let showings: [Showing] = {
    let calls = "22 calls, 17 reads and 5 writes; "
    let queue = "12 calls, 2 reads and 10 writes; "
    let right = ["✓ Right: ", "store right, answers right."]
    let wrong = ["○ What went wrong", "expected of a plain actor"]
    return [
      Showing(
        example: .busyScreen, way: .coalescing, counts: calls + "6 backend reads, 11 saved", waits: 6...10,
        words: right + ["each write ran alone", "11 reads joined an equal one"]),
      Showing(
        example: .busyScreen, way: .touching, counts: calls + "6 backend reads, 11 saved", waits: 6...10,
        words: right + ["each write ran alone on what it touches", "11 reads joined an equal one"]),
      Showing(
        example: .busyScreen, way: .apart, counts: calls + "16 backend reads, 1 saved", waits: 16...18,
        words: right + ["each write ran alone on what it touches", "1 read joined an equal one"]),
      Showing(
        example: .busyScreen, way: .serial, counts: calls + "17 backend reads, 0 saved", waits: 19...21,
        words: right),
      Showing(
        example: .busyScreen, way: .actor, counts: "17 backend reads, 0 saved", waits: 0...0,
        words: wrong + ["answers WRONG."]),
      Showing(
        example: .offlineQueue, way: .coalescing, counts: queue + "1 backend read, 1 saved", waits: 10...10,
        words: right + ["the store holds 2 notes", "failed, as it must: there is no note 2."]),
      Showing(
        example: .offlineQueue, way: .touching, counts: queue + "1 backend read, 1 saved", waits: 10...10,
        words: right + ["the store holds 2 notes", "failed, as it must: there is no note 2."]),
      Showing(
        example: .offlineQueue, way: .apart, counts: queue + "2 backend reads, 0 saved", waits: 9...9,
        words: right + ["calls that need not wait for each other ran up to 3 at once", "the store holds 2 notes"]),
      Showing(
        example: .offlineQueue, way: .serial, counts: queue + "2 backend reads, 0 saved", waits: 11...11,
        words: right + ["the store holds 2 notes", "failed, as it must: there is no note 2."]),
      Showing(
        example: .offlineQueue, way: .actor, counts: "2 backend reads, 0 saved", waits: 0...0,
        words: wrong + ["store WRONG", "note 2 is in the store, where it should not be"]),
    ]
  }()

  // Fails if: reads merge across a write, or do not merge at all, or the plain actor’s failure is a failure of the program.
  @Test(arguments: showings) func aScriptShowsWhatItSaysItShows(_ showing: Showing) async throws {
    let transcript = Transcript()
    let status = await transcript.run(["--example", showing.example.rawValue, "--through", showing.way.rawValue])
    #expect(status == .right)
    let output = transcript.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for words in showing.words + [showing.counts, "through \(showing.way.title)"] {
      #expect(output.contains(words), "\(transcript.output)")
    }
    let waits = try #require(output.firstMatch(of: /saved; (\d+) waits? for a turn/))
    #expect(showing.waits.contains(try #require(Int(waits.1))))
    #expect(output.contains("joined an equal read") == !showing.counts.hasSuffix(" 0 saved"))
    #expect(showing.example.script.contains(showing.counts))
  }

  // Fails if: what a script says it shows is no longer what its calls come to, however they are timed.
  @Test func theCountsFollowFromTheCallsAlone() throws {
    for (example, found, reads) in [(Example.busyScreen, 2, 6), (.offlineQueue, 2, 1)] {
      let calls = try ScriptFile.read(example)
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

  @Test func theLastEditOfTheBusyMinuteComesTooLate() throws {
    let calls = try ScriptFile.read(Example.busyMinute)
    #expect(calls.count == 12)
    var store = ExpectedStore([])
    let failed = calls.filter { if case .failure = store.perform($0.call) { true } else { false } }
    #expect(failed.map(\.call) == [.update(1, text: "Pack the stove only")])
  }

  // Fails if: a script still says an old name of its own.
  @Test(arguments: Example.allCases) func aScriptSaysHowItIsPlayed(_ example: Example) throws {
    #expect(example.script.split(separator: "\n")[0].hasSuffix(": swift run notes --example \(example.rawValue)"))
  }
}
