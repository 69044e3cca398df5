import SerialTasks

/// Collects the events of executors, coalescers, reloaders and renewing values, and waits for them.
///
/// ```swift
/// let log = EventLog()
/// let line = SerialTaskExecutor(name: "notes", onEvent: log.handler)
/// ```
///
/// Several of them may share one log, which then shows the order among them. Printed, a log has a line for each event.
///
/// An event is reported outside of every lock, by the thread that causes it. So what has happened may be visible in a
/// `snapshot` a moment before its event is in the log. Wait for an event with ``first(where:)``, and for so many with
/// ``first(_:)``.
public final class EventLog: Sendable {
  private let moments = Moments<[TaskEvent]>([])

  /// Creates an empty log.
  public init() {}

  /// Appends each event that it is called with: what to pass as `onEvent`.
  public var handler: @Sendable (TaskEvent) -> Void { { [self] event in self(event) } }

  /// Appends the event.
  ///
  /// - Parameter event: What happened.
  public func callAsFunction(_ event: TaskEvent) { moments.change { $0.append(event) } }

  /// The events so far, in the order in which they were reported.
  public var entries: [TaskEvent] { moments.now }

  /// Returns the first so many events, when there are so many.
  ///
  /// - Parameter count: How many events to wait for.
  /// - Returns: The first events, `count` of them.
  /// - Throws: `CancellationError` if the calling task is cancelled before, or ``WaitTimedOut`` if there are so few for ten
  ///   seconds (``withPatience(_:_:)``).
  public nonisolated(nonsending) func first(_ count: Int) async throws -> [TaskEvent] {
    try await wait(Patience.fewer(than: count, "event", "reported"), until: count)
    return Array(entries.prefix(count))
  }

  /// Returns the first event that satisfies the condition: one that is in the log, or one that is still to come.
  ///
  /// - Parameter isWanted: The condition. It is asked once for each event, in order, in the calling task and in the caller's
  ///   isolation, and may read the log.
  /// - Returns: The first event that satisfies it.
  /// - Throws: `CancellationError` if the calling task is cancelled before, or ``WaitTimedOut`` if no event at all comes for ten
  ///   seconds (``withPatience(_:_:)``).
  @discardableResult
  public nonisolated(nonsending) func first(where isWanted: (TaskEvent) -> Bool) async throws -> TaskEvent {
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
    try await Patience.wait(missing, found: "Reported so far:\n\(self)") { patience in
      await moments.wait(patience: patience) { $0.count >= count }
    }
  }
}

extension EventLog: CustomStringConvertible {
  /// The events, one in each line, in the words of `TaskEvent`.
  public var description: String { entries.map(\.description).joined(separator: "\n") }
}
