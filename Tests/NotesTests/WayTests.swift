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
  @Test(arguments: [Way.serial, .coalescing]) func aWayThatKeepsNoOrderIsFoundOut(way: Way) async throws {
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

  // Fails if: a rejection reaches the caller as anything but the repository’s own error.
  @Test(arguments: [Way.serial, .coalescing]) func aRejectedCallFailsAsTheRepositoryDoes(way: Way) async throws {
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
    #expect(panel.details[0].contains(way == .coalescing ? "2 backend reads, 198 saved" : "200 backend reads, 0 saved"))
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
