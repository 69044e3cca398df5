/// The ways calls can take to the repository, in the order in which they promise more.
///
/// To add one is to write a ``NotesService`` around another, and to name it here; who plays, checks and draws asks only for
/// what is said here.
enum Way: String, CaseIterable {
  case actor, serial, coalescing
}

extension Way {
  /// What it promises of calls that are under way at once.
  enum Promise {
    case nothing
    /// One call after the other, in the order asked.
    case oneAtATime
    /// A write runs alone and in its place; reads that no write stands between run together, and equal ones are one.
    case readsTogether
  }

  var promise: Promise {
    switch self {
    case .actor: .nothing
    case .serial: .oneAtATime
    case .coalescing: .readsTogether
    }
  }

  /// What it is called in titles.
  var title: String {
    switch self {
    case .actor: "a plain actor"
    case .serial: "SerialTaskExecutor"
    case .coalescing: "CoalescingTaskExecutor"
    }
  }

  /// How it treats calls, for titles to be followed by.
  var introduction: String {
    switch self {
    case .actor: "Each method awaits in the middle, and at every await the actor lets the others in."
    case .serial: "A job has its turn until it returns, whatever it awaits; the others wait in the order asked."
    case .coalescing:
      "A write runs alone, in its place. Reads with no write between them run together, and equal ones join: they are one."
    }
  }

  /// What it is, for the help.
  var meaning: String {
    switch self {
    case .actor: "straight to the actor, with no order; what goes wrong is shown, and expected"
    case .serial: "SerialTaskExecutor: one call at a time, in their order"
    case .coalescing: "CoalescingTaskExecutor: equal reads merge, writes stay in order; the default"
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
    }
  }

  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
