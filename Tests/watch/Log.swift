import SerialTasks

/// What happened, in the order in which it happened.
package final class Log<Entry: Sendable>: Sendable {
  private let mutex = Lock<[Entry]>([])

  package init() {}

  package func callAsFunction(_ entry: Entry) { mutex.withLock { $0.append(entry) } }

  /// Adds the entry, and returns its index.
  package func add(_ entry: Entry) -> Int {
    mutex.withLock { entries in
      entries.append(entry)
      return entries.count - 1
    }
  }

  package var entries: [Entry] { mutex.withLock { $0 } }
}
