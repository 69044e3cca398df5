/// Something that can be closed, drained and shut down: executors, `TaskCoalescer`, `Reloader`, `RenewingValue`.
///
/// A program can end them all in one call:
///
/// ```swift
/// let parts: [any Drainable] = [token, notes, feed]
/// await parts.shutDown(within: .seconds(10))
/// ```
public protocol Drainable: Sendable {
  /// Rejects every later job with ``JobRejection/closed``, for good; jobs that were accepted still run.
  nonisolated func close()

  /// Withdraws every job that has not begun, and cancels what runs in tasks that were created for it.
  nonisolated func cancelAll()

  /// Returns when everything that was accepted before this call has ended, and its completion handlers have been called.
  ///
  /// - Throws: `CancellationError` if the calling task is cancelled, ``JobRejection/deadlock(_:)`` if it would wait for
  ///   itself.
  nonisolated(nonsending) func drain() async throws

  /// Closes, waits for accepted work, and, when the limit has passed, withdraws or cancels the rest.
  ///
  /// With a limit of `.zero`, or in a cancelled task, nothing more begins.
  ///
  /// - Parameter limit: The time for accepted work.
  /// - Returns: Whether everything ended on its own in time: `false` if anything was withdrawn or cancelled since the call
  ///   began, by any call. When this returns, nothing runs. Exception: inside a job or an operation, it cancels that too
  ///   and returns `false` while it runs; an operation that has not suspended sees that a moment later.
  @discardableResult
  nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool
}

extension Sequence where Element == any Drainable {
  /// Closes all of them, and only then waits for them, or ends them.
  ///
  /// With `.zero`, this is a log-out: nothing more begins, not even drafts, and running work is cancelled; when this
  /// returns, nothing runs.
  ///
  /// A call from one closed part to another is rejected. If jobs of one part need another to end, shut the calling part
  /// down first, separately.
  ///
  /// - **Order:** all end at the same time.
  /// - **Cancellation** of the calling task: *before* the call or *waiting*, it counts as if the limit had passed. This
  ///   call still waits for what runs.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** the job or operation that calls this is cancelled and not awaited, and this returns `false`.
  /// - **Complexity:** as each ``Drainable/shutDown(within:)``, plus a child task for each if there is time left.
  ///
  /// - Parameter limit: The time for accepted work, on the clock of each. `.zero` or less ends it now.
  /// - Returns: Whether everything ended on its own; see ``Drainable/shutDown(within:)``. For a type of your own, this
  ///   counts what is interrupted after its `cancelAll()`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    let parts = Array(self)
    let before = parts.map { ($0 as? any EndsAtOnce)?.interruptions }
    let mayEnd = limit > .zero && !Task.isCancelled
    if mayEnd {
      for part in parts { part.close() }
    } else {
      for end in parts.map({ $0.closedAtOnce() }) { end() }
    }
    let hasEnded = await withTaskGroup(of: Bool.self) { group in
      for part in parts where mayEnd || !(part is any EndsAtOnce) {
        group.addTask { await part.shutDown(within: limit) }
      }
      var hasEnded = true
      // In this task, which is certainly inside its job even where `ProbeCheck` fails.
      for part in parts where !mayEnd && part is any EndsAtOnce {
        hasEnded = await part.shutDown(within: .zero) && hasEnded
      }
      return await group.reduce(hasEnded) { $0 && $1 }
    }
    return hasEnded && before == parts.map { ($0 as? any EndsAtOnce)?.interruptions }
  }
}

extension Sequence where Element: Drainable {
  /// Shuts all of them down together, like `shutDown(within:)` of a sequence of `any Drainable`.
  @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await map { $0 as any Drainable }.shutDown(within: limit)
  }
}

@usableFromInline
package protocol EndsAtOnce: Drainable {
  /// Counts accepted jobs and operations that were withdrawn or cancelled.
  var interruptions: Int { get }

  /// Closes, withdraws work that has not begun, and cancels running work, in one step.
  ///
  /// - Returns: A closure that resumes the callers and cancels the tasks.
  func endAtOnce() -> () -> Void
}

extension Drainable {
  fileprivate func closedAtOnce() -> () -> Void {
    if let part = self as? any EndsAtOnce { return part.endAtOnce() }
    close()
    return { cancelAll() }
  }
}
