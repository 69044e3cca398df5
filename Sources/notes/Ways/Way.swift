/// The ways calls can take to the repository, in the order in which they promise more.
///
/// To add one is to write a ``NotesService`` around another, and to name it here; who plays, checks and draws asks only for
/// what is said here.
enum Way: String, CaseIterable {
  case actor, serial, coalescing, touching, apart
}

extension Way {
  /// What it promises of calls that are under way at once.
  enum Promise {
    case nothing
    /// One call after the other, in the order asked.
    case oneAtATime
    /// A write runs alone and in its place; reads that no write stands between run together, and equal ones are one.
    case readsTogether
    /// Calls run together unless they must wait for each other: a write of a note for all that reads that note or the list, and
    /// for other writes.
    case byNoteAndList
    /// Calls run together unless they touch the same note and one of them writes it; the list is read alone.
    case byNote
  }

  var promise: Promise {
    switch self {
    case .actor: .nothing
    case .serial: .oneAtATime
    case .coalescing: .readsTogether
    case .touching: .byNoteAndList
    case .apart: .byNote
    }
  }

  /// What it is called in titles.
  var title: String {
    switch self {
    case .actor: "a plain actor"
    case .serial: "SerialTaskExecutor"
    case .coalescing: "CoalescingTaskExecutor"
    case .touching: "CoalescingTaskExecutor, where a write touches its note and the list"
    case .apart: "CoalescingTaskExecutor, where a write touches its note only"
    }
  }

  /// How it treats calls, for titles to be followed by.
  var introduction: String {
    switch self {
    case .actor: "Each method awaits in the middle, and at every await the actor lets the others in."
    case .serial: "A job has its turn until it returns, whatever it awaits; the others wait in the order asked."
    case .coalescing:
      "A write runs alone, in its place. Reads with no write between them run together, and equal ones join: they are one."
    case .touching:
      """
      A read waits only for writes that touch what it reads. The list shows every note, so every write touches it, and one \
      write waits for another.
      """
    case .apart:
      """
      Calls of different notes never wait for each other, not even writes. The list is read by a job that touches everything: \
      it runs alone, and never joins an equal one.
      """
    }
  }

  /// What it is, for the help.
  var meaning: String {
    switch self {
    case .actor: "straight to the actor, with no order; what goes wrong is shown, and expected"
    case .serial: "SerialTaskExecutor: one call at a time, in their order"
    case .coalescing: "CoalescingTaskExecutor: equal reads merge, writes stay in order; the default"
    case .touching: "the same, but a write touches its note and the list: reads of other notes need not wait"
    case .apart: "the same, but a write touches its note only: writes of other notes need not wait either"
    }
  }

  /// Puts something around the repository.
  typealias Wrapping = @Sendable (NotesRepository, Journal) -> any NotesService

  /// The repository as this way leads to it, with everything that happens written into the journal.
  func service(_ repository: NotesRepository, _ journal: Journal) -> any NotesService {
    let watched = WatchedNotes(service: repository, journal: journal)
    return switch self {
    case .actor: watched
    case .serial: SerialNotes(watched) { journal.add($0) }
    case .coalescing: CoalescingNotes(watched) { journal.add($0) }
    case .touching: CoalescingNotes(watched, touching: .noteAndList) { journal.add($0) }
    case .apart: CoalescingNotes(watched, touching: .note) { journal.add($0) }
    }
  }

  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
