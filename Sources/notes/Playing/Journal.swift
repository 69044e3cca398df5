import SerialTasks
import Synchronization

/// What happened to the calls of a run: what the repository was asked to do, and what the executor reported.
final class Journal: Sendable {
  /// What is known of one call.
  struct Entry {
    /// How often the repository was asked, on behalf of this call.
    var operations = 0
    var began: Duration?
    var ended: Duration?
    /// Whether the executor made it wait for its turn.
    var hadToWait = false
    /// Whose operation it shared, by name.
    var joined: String?
  }

  private struct Pages {
    var callers: [String: Caller] = [:]
    var entries: [String: Entry] = [:]
    /// Who began, by the executor’s places, and who joined what is at such a place.
    var leaders: [UInt64: String] = [:]
    var joiners: [String: UInt64] = [:]
  }

  let stopwatch = Stopwatch()
  private let pages = Mutex(Pages())

  /// All that is known of a call that has ended.
  func entry(_ caller: Caller) -> Entry {
    pages.withLock { pages in
      var entry = pages.entries[caller.name] ?? Entry()
      entry.joined = pages.joiners[caller.name].flatMap { pages.leaders[$0] }
      return entry
    }
  }
}

// MARK: - Writing it

extension Journal {
  /// A call is about to be asked for.
  func expect(_ caller: Caller) { pages.withLock { $0.callers[caller.name] = caller } }

  /// The repository is asked.
  func began(_ caller: Caller) {
    let now = stopwatch.time
    change(caller.name) { entry in
      entry.operations += 1
      entry.began = entry.began ?? now
    }
  }

  /// The repository has answered.
  func ended(_ caller: Caller) {
    let now = stopwatch.time
    change(caller.name) { $0.ended = now }
  }

  /// The executor reports an event of a call.
  func add(_ event: TaskEvent) {
    guard let name = event.job else { return }
    switch event.kind {
    case .waiting, .drafted: change(name) { $0.hadToWait = true }
    case .began: if let place = event.place { pages.withLock { $0.leaders[place] = name } }
    case .joined: if let place = event.place { pages.withLock { $0.joiners[name] = place } }
    case .served, .heldTooLong, .stalled, .finished, .failed, .rejected, .replaced, .left: break
    }
    // An event of a call is reported when the call has its place, or will never have one.
    pages.withLock { $0.callers[name] }?.placed.open()
  }

  private func change(_ name: String, _ body: (inout Entry) -> Void) {
    pages.withLock { body(&$0.entries[name, default: Entry()]) }
  }
}
