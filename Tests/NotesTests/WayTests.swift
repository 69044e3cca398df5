import Testing

@testable import notes

/// The ways to the repository, played for real.
@Suite(.watched) struct WayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func play(_ calls: [TimedCall], _ way: Way, wrap: Way.Wrapping? = nil) async throws -> Panel {
    let store = try StoreOpening.open("\(folder.path)/store")
    for id in 1...3 { try store.write(Note(id: id, text: "a")) }
    var panels: [Panel] = []
    let stage = Stage(console: Transcript().console(), scratch: folder.path)
    try await ScriptAct(calls: calls, store: store, way: way, wrap: wrap).play(on: stage) { panels.append($0) }
    return try #require(panels.first)
  }

  @Test func equalReadsMergeAndNeverAcrossAWrite() async throws {
    let panel = try await play(RepositoryAct.calls, .coalescing)
    #expect(panel.mood == .right)
    #expect(panel.details[0].hasPrefix("In sum: 10 calls, 9 reads and 1 write; 4 backend reads, 5 saved; 3 waits"))
    let standings = try #require(panel.timeline).rows.map(\.standing)
    let joined = standings.map { if case .noted(let word) = $0 { word } else { "" } }
    #expect(joined == ["", "joined 1", "", "joined 1", "joined 3", "", "", "", "joined 7", "joined 8"])
  }

  @Test(arguments: [Way.actor, .serial]) func otherWaysMergeNothing(way: Way) async throws {
    let panel = try await play(RepositoryAct.calls, way)
    #expect(panel.mood == (way == .actor ? .warning : .right))
    #expect(panel.details[0].contains("9 backend reads, 0 saved"))
  }

  // Fails if: store, answers and overlaps are not really looked at.
  @Test(arguments: [Way.serial, .coalescing, .touching, .apart])
  func aWayThatKeepsNoOrderIsFoundOut(way: Way) async throws {
    let panel = try await play(RepositoryAct.calls, way) { WatchedNotes(service: $0, journal: $1) }
    #expect(panel.mood == .wrong)
    #expect(Panel.status(of: [panel]) == .wrong)
    #expect(panel.finding.hasPrefix("What went wrong: "))
    #expect(panel.finding.contains("did not answer what they must"))
    #expect(panel.finding.contains(" began before call "))
  }

  // Fails if: the rule is dropped, or not looked for, that a read never joins one that a write stands before.
  @Test func aWayThatJoinsAcrossAWriteIsFoundOut() async throws {
    let panel = try await play(RepositoryAct.calls, .coalescing) {
      StaleNotes(WatchedNotes(service: $0, journal: $1), $1)
    }
    #expect(panel.mood == .wrong)
    #expect(panel.finding.contains("calls 7, 8, 9 and 10 did not answer what they must"))
    #expect(panel.finding.contains("call 7 (read 1) joined call 3 (read 1), and must not have"))
    #expect(panel.details[0].contains("4 answers WRONG"))
    #expect(panel.details.contains { $0.hasPrefix("Call 7 (read 1) answered note 1, edited 0×; in the order asked") })
  }

  // Fails if: a write that does not name the list lets an old one be read, or that is not looked for.
  @Test func aWayThatForgetsTheListIsFoundOut() async throws {
    let panel = try await play(TouchingAct.calls, .touching) {
      OldListNotes(WatchedNotes(service: $0, journal: $1), $1)
    }
    #expect(panel.mood == .wrong)
    #expect(panel.finding.contains("calls 7 and 8 did not answer what they must"))
    #expect(panel.finding.contains(" began before call 1 (update 1) had ended"))
  }

  // Fails if: writes that touch the same list may run together.
  @Test func aWayThatNamesTooLittleIsFoundOut() async throws {
    let panel = try await play(TouchingAct.calls, .touching) {
      Self.notes($0, $1, touching: .note)
    }
    #expect(panel.mood == .wrong)
    #expect(panel.finding.contains("call 3 (update 3) began before call 1 (update 1) had ended"))
  }

  // Fails if: a call may wait for one that it has nothing to do with, as all did when every write touched everything.
  @Test(arguments: [
    (Way.touching, CoalescingNotes.Touching.everything, "call 2 (read 2)"), (.apart, .noteAndList, "call 3 (update 3)"),
  ])
  func aWayThatNamesTooMuchIsFoundOut(way: Way, touching: CoalescingNotes.Touching, call: String) async throws {
    let panel = try await play(TouchingAct.calls, way) { Self.notes($0, $1, touching: touching) }
    #expect(panel.mood == .wrong)
    #expect(panel.finding.contains("\(call) had to wait, and there was nothing to wait for"), "\(panel.finding)")
  }

  // Fails if: with any mix of calls, a call answers what an earlier or a later write has made of a note or of the list.
  @Test(arguments: [Way.coalescing, .touching, .apart], 1...3)
  func whateverIsCalledIsAnsweredAsInOrder(way: Way, seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    var calls: [TimedCall] = []
    for step in 0..<150 {
      let id = Int.random(in: 0...5, using: &random)
      let all: [Call] = [
        .read(id), .read(id), .readAll, .add(id, text: "\(step)"), .update(id, text: "\(step)"), .delete(id),
      ]
      let call = try #require(all.randomElement(using: &random))
      let takes = Duration.milliseconds(Int.random(in: 0...2, using: &random))
      calls.append(TimedCall(at: .milliseconds(step / 50 * 40), call: call, takes: takes))
    }
    let panel = try await play(calls, way)
    #expect(panel.mood == .right, "\(panel.finding)")
    #expect(panel.details[0].contains("store right, answers right."))
  }

  private static func notes(
    _ repository: NotesRepository, _ journal: Journal, touching: CoalescingNotes.Touching
  ) -> any NotesService {
    CoalescingNotes(WatchedNotes(service: repository, journal: journal), touching: touching) { journal.add($0) }
  }

  // Fails if: a rejection reaches the caller as anything but the repository’s own error.
  @Test(arguments: [Way.serial, .coalescing, .touching, .apart])
  func aRejectedCallFailsAsTheRepositoryDoes(way: Way) async throws {
    let store = try StoreOpening.open("\(folder.path)/store")
    let service = way.service(NotesRepository(store: store), Journal())
    for call in [Call.read(1), .readAll, .add(1, text: "a"), .update(1, text: "b"), .delete(1)] {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await service.perform(call, taking: .zero)
      }
      #expect(await task.value == .failure(.unavailable(.cancelled)))
    }
    #expect(try store.ids() == [])
  }

  // Fails if: what comes at one moment may end before all of it has come.
  @Test(arguments: Way.allCases) func manyEqualReadsOfOneMomentAreAllThereBeforeOneEnds(way: Way) async throws {
    let reads = (0..<200).map { TimedCall(at: .zero, call: .read($0 % 2 + 1), takes: .zero) }
    let panel = try await play(reads, way)
    let mergesNothing = way == .actor || way == .serial
    #expect(panel.details[0].contains(mergesNothing ? "200 backend reads, 0 saved" : "2 backend reads, 198 saved"))
    #expect(panel.mood == (way == .actor ? .warning : .right))
  }
}

/// Reads on one line and writes on another, so that reads join whatever equal one is under way.
private struct StaleNotes: NotesService {
  private let reads: CoalescingNotes
  private let writes: SerialNotes

  init(_ service: any NotesService, _ journal: Journal) {
    reads = CoalescingNotes(service) { journal.add($0) }
    writes = SerialNotes(service)
  }

  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
    try await reads.read(id, taking: time)
  }

  func readAll(taking time: Duration) async throws(NotesError) -> [Note] { try await reads.readAll(taking: time) }

  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await writes.add(id, text: text, taking: time)
  }

  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await writes.update(id, text: text, taking: time)
  }

  func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
    try await writes.delete(id, taking: time)
  }
}

/// Reads the list whatever is being written, which is what it comes to if no write names the list.
private struct OldListNotes: NotesService {
  private let notes: CoalescingNotes
  private let service: any NotesService

  init(_ service: any NotesService, _ journal: Journal) {
    notes = CoalescingNotes(service, touching: .note) { journal.add($0) }
    self.service = service
  }

  func read(_ id: Int, taking time: Duration) async throws(NotesError) -> Note {
    try await notes.read(id, taking: time)
  }

  func readAll(taking time: Duration) async throws(NotesError) -> [Note] { try await service.readAll(taking: time) }

  func add(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await notes.add(id, text: text, taking: time)
  }

  func update(_ id: Int, text: String, taking time: Duration) async throws(NotesError) {
    try await notes.update(id, text: text, taking: time)
  }

  func delete(_ id: Int, taking time: Duration) async throws(NotesError) {
    try await notes.delete(id, taking: time)
  }
}
