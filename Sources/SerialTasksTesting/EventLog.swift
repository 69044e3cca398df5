import SerialTasks

/// Collects the events of executors, coalescers, reloaders and renewing values, and waits for them.
///
/// ```swift
/// let log = EventLog()
/// let line = SerialTaskExecutor(name: "notes", onEvent: log.handler)
/// ```
///
/// If several of them share a log, it shows the order of their events. A `snapshot` may show a change a moment before
/// the log has its event.
public final class EventLog: Sendable {
  private let moments = Moments<[TaskEvent]>([])

  /// Creates an empty log.
  public init() {}

  /// The handler to pass as `onEvent`.
  public var handler: @Sendable (TaskEvent) -> Void { { [moments] event in moments.change { $0.append(event) } } }

  /// The events so far, in order.
  public var entries: [TaskEvent] { moments.now }

  /// Returns the first events, once there are this many.
  ///
  /// - Throws: `CancellationError`, or ``WaitTimeoutError`` (``withPatience(_:_:)``).
  public nonisolated(nonsending) func waitForFirst(_ count: Int) async throws -> [TaskEvent] {
    try await wait(Patience.fewer(than: count, "event", "reported"), until: count)
    return Array(entries.prefix(count))
  }

  /// Returns the first event that satisfies the condition, past or future.
  ///
  /// The condition is called once for each event, in order, in the caller's isolation; it may read the log.
  ///
  /// - Throws: `CancellationError`, or ``WaitTimeoutError`` after ten seconds without a further event (``withPatience(_:_:)``).
  @discardableResult
  public nonisolated(nonsending) func waitForFirst(where isWanted: (TaskEvent) -> Bool) async throws -> TaskEvent {
    var seen = 0
    while true {
      let entries = entries
      if let event = entries.dropFirst(seen).first(where: isWanted) { return event }
      let count = entries.count
      seen = count
      try await wait("No further event reported", until: count + 1)
    }
  }

  private nonisolated(nonsending) func wait(_ missing: String, until count: Int) async throws {
    try await Patience.wait(missing, found: "Reported so far:\n\(self)\n\(Timeline(entries))") { patience in
      await moments.wait(patience: patience) { $0.count >= count }
    }
  }
}

extension EventLog: CustomStringConvertible {
  /// The events, one per line, as `TaskEvent` prints them.
  public var description: String { entries.map(\.description).joined(separator: "\n") }
}
