/// What can be closed, emptied and shut down: every executor, ``TaskCoalescer``, ``Reloader`` and ``RenewingValue``.
///
/// A service can hold any of them, and stop them all in the same way:
///
/// ```swift
/// struct Draining: Sendable {
///   let parts: [any Drainable]
///
///   /// What a service does when it is asked to stop.
///   func stop() async {
///     for part in parts { part.close() }
///     await withDiscardingTaskGroup { group in
///       for part in parts {
///         group.addTask { await part.shutDown(within: .seconds(10)) }
///       }
///     }
///   }
/// }
/// ```
///
/// If jobs of one part call another, stop the one that calls first, and close the other one when it has ended: what is closed
/// also rejects calls from jobs that are still to end.
public protocol Drainable: Sendable {
  /// Rejects every later job with ``JobRejection/closed``; jobs that were accepted still run.
  ///
  /// What is closed cannot be opened again.
  nonisolated func close()

  /// Withdraws every job that has not begun, and cancels what runs in tasks that were made for it.
  nonisolated func cancelAll()

  /// Returns when nothing waits or runs.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled, ``JobRejection/deadlock(_:)`` if it would wait for itself.
  nonisolated(nonsending) func drain() async throws

  /// Closes, lets what was accepted end, and when the limit has passed withdraws what waits and cancels what runs.
  ///
  /// - Parameter limit: How long what was accepted may take.
  /// - Returns: Whether all of it ended in time. When this returns, nothing runs any more. But called from inside a job or an
  ///   operation of the same type, it asks the others to stop and returns without waiting for them.
  @discardableResult
  nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool
}
