import Foundation
import TestWatch
import Testing

@testable import notes

/// Ctrl-C, inside the program and to a process of its own.
@Suite(.watched) struct InterruptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Asks for the end while a call runs, when all of its moment have their places.
  private struct Interrupting: NotesService {
    let service: any NotesService
    let interruption: Interruption
    /// The call that it happens in.
    let isRead: Bool

    private func interrupt(_ isRead: Bool) async {
      guard isRead == self.isRead else { return }
      await Caller.current?.moment.pass()
      interruption.ask()
    }

    func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
      Caller.current?.placed.open()
      await interrupt(true)
      return try await service.read(id, taking: time)
    }

    func readAll(taking time: Duration) async throws(NotesError) -> [Note] { try await service.readAll(taking: time) }

    func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
      try await service.add(id, text: text, taking: time)
    }

    func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
      Caller.current?.placed.open()
      await interrupt(false)
      try await service.update(id, text: text, taking: time)
    }

    func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
      try await service.delete(id, taking: time)
    }
  }

  private func play(_ calls: [(Call, Duration)], through way: Way, duringRead: Bool) async throws -> (Run, Verdict) {
    let store = try StoreOpening.open("\(folder.path)/\(way.rawValue)")
    try store.write(Note(id: 1, text: "old"))
    let interruption = Interruption()
    let player = Player(
      repository: NotesRepository(store: store), way: way,
      wrap: { repository, journal in
        let watched = WatchedNotes(
          service: Interrupting(service: repository, interruption: interruption, isRead: duringRead), journal: journal)
        return switch way {
        case .serial: SerialNotes(watched) { journal.add($0) }
        case .apart: CoalescingNotes(watched, touching: .note) { journal.add($0) }
        default: CoalescingNotes(watched) { journal.add($0) }
        }
      }, interruption: interruption)
    let late = TimedCall(at: .seconds(3_600), call: .readAll, takes: .zero)
    let run = await player.play(calls.map { TimedCall(at: .zero, call: $0, takes: $1) } + [late])
    return (run, Verdict(initial: [Note(id: 1, text: "old")], run: run, found: try store.all()))
  }

  // Fails if: the running call is lost or waited for, a waiting one begins, or the rest is not judged as a run of its own.
  @Test(arguments: [(Way.serial, ["update 1"]), (.coalescing, ["update 1"]), (.apart, ["update 1", "add 2"])])
  func whatRunsEndsAndWhatWaitsIsWithdrawn(way: Way, begun: [String]) async throws {
    let calls: [(Call, Duration)] = [
      (.update(1, text: "new"), .seconds(3_600)), (.read(1), .zero), (.add(2, text: "a"), .zero), (.read(1), .zero),
    ]
    let (run, verdict) = try await play(calls, through: way, duringRead: false)
    #expect(run.calls.map(\.call.label) == begun)
    #expect(run.calls.map(\.place) == Array(1...begun.count))
    #expect(run.calls.allSatisfy { $0.outcome == .success(.done) })
    #expect(verdict.isRight)
  }

  // Fails if: a read that ran when it was withdrawn is taken for one that was answered.
  @Test func readsThatRunAreWithdrawnAndNotJudged() async throws {
    let calls: [(Call, Duration)] = [
      (.read(1), .seconds(3_600)), (.read(1), .zero), (.update(1, text: "new"), .zero),
    ]
    let (run, verdict) = try await play(calls, through: .coalescing, duringRead: true)
    #expect(run.calls.isEmpty)
    #expect(verdict.isRight)
  }

  // Fails if: the process dies of the signal, waits for the long call, or leaves its temporary folder.
  @Test func aProcessEndsWithWhatWasPlayed() async throws {
    let temporary = try TemporaryFolder()
    let quick = (1...10).map { "{\"call\": \"add\", \"id\": \($0), \"text\": \"\"}" }
    let slow = ["{\"call\": \"update\", \"id\": 1, \"text\": \"long\", \"takes\": 3600}"]
    let rest = (1...89).map { _ in "{\"at\": 1, \"call\": \"delete\", \"id\": 1}" }
    let script = try folder.file("s.jsonl", (quick + slow + rest).joined(separator: "\n"))
    let page = "\(folder.path)/page.html"
    let process = try TestProcess.notes(["--script", script, "--html", page], temporary: temporary)
    for await line in process.errors where line.hasPrefix("10 of 100 calls played") { break }
    process.send(SIGINT)
    let (lines, status) = await process.end()
    let output = lines.joined(separator: "\n")
    #expect(status == 130)
    #expect(output.contains(/1[01] of 100 calls from a script/))
    #expect(output.contains(/Interrupted: (89|90) calls had not begun/))
    #expect(output.contains("store right, answers right."))
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("of 100 calls from a script"))
    #expect(temporary.files.isEmpty)
  }

  // Fails if: an interrupted demonstration plays on, or does not say how far it came.
  @Test func actsThatWereNotPlayedAreCounted() async {
    let transcript = Transcript()
    let program = Program(console: transcript.console())
    program.interruption.ask()
    #expect(await program.run([]) == .interrupted)
    #expect(transcript.output == "\nInterrupted: 0 of \(ActName.allCases.count) acts played.\n")
  }

  // Fails if: a script may not come from a pipe, or a folder is left where none was asked for.
  @Test func aScriptComesFromStandardInputAndNothingIsLeftBehind() async throws {
    let temporary = try TemporaryFolder()
    let process = try TestProcess.notes(
      ["--script", "-", "--through", "actor"], temporary: temporary, input: "{\"call\": \"readAll\"}\n")
    let (lines, status) = await process.end()
    #expect(status == 0)
    #expect(lines.contains { $0.contains("1 call from a script") })
    #expect(temporary.files.isEmpty)
  }
}
