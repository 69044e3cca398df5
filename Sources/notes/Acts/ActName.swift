/// The acts that can be asked for by name, in the order in which they are played unless asked for in another.
enum ActName: String, CaseIterable {
  case overlap, repository, touching, saving, moving, reentrancy, orders, coalescing, reloading
}

extension ActName {
  /// What it shows, for the help.
  var meaning: String {
    switch self {
    case .overlap: "seven calls at the same moment, to a plain actor and through SerialTaskExecutor"
    case .repository: "equal reads around a write, to a repository wrapped in CoalescingTaskExecutor"
    case .touching: "a slow write of one note, and what no longer waits for it when writes say what they touch"
    case .saving: "an editor that saves after every word, and saves that are replaced by newer ones"
    case .moving: "jobs over two notes at once, there and back, beside jobs of one note"
    case .reentrancy: "a call that would wait for itself, and is rejected"
    case .orders: "two executors in opposite orders: a deadlock that did not happen, and is found"
    case .coalescing: "screens that want the same profile, and how often TaskCoalescer asks the backend"
    case .reloading: "five stories of a screen, and how often it fetches with and without Reloader"
    }
  }

  /// Whether it plays on the store that ``Flag/store`` names.
  var keepsNotes: Bool { self == .overlap }

  /// The act.
  ///
  /// - Parameter store: Opens the store; called by those that keep notes.
  /// - Returns: The act, which has not begun.
  /// - Throws: What opening the store does.
  func act(store: () throws(Refusal) -> NoteStore) throws(Refusal) -> any Act {
    switch self {
    case .overlap: OverlapAct(store: try store())
    case .repository: RepositoryAct()
    case .touching: TouchingAct()
    case .saving: SavingAct()
    case .moving: MovingAct()
    case .reentrancy: ReentrancyAct()
    case .orders: OrdersAct()
    case .coalescing: CoalescingAct()
    case .reloading: ReloadingAct()
    }
  }
}

/// Names for people to choose from.
extension ActName {
  static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
  static var namesOfKeepers: String { allCases.filter(\.keepsNotes).map(\.rawValue).joined(separator: ", ") }
}
