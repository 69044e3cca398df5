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
  @_alwaysEmitIntoClient @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await ShutDown.endAll(Array(self), limit)
  }
}

extension Sequence where Element: Drainable {
  /// Shuts all of them down together, like `shutDown(within:)` of a sequence of `any Drainable`.
  @_alwaysEmitIntoClient @discardableResult
  public nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    await ShutDown.endAll(reduce(into: []) { $0.append($1) }, limit)
  }
}

@usableFromInline
package protocol ShutsDown: Drainable {
  /// Closes, in one step; without time, also withdraws work that has not begun, and cancels running work.
  func beginShutDown(hasTime: Bool) -> BegunShutDown
}

extension ShutsDown {
  package nonisolated(nonsending) func shutDownAlone(within limit: Duration) async -> Bool {
    await ShutDown.begun([self], hasTime: limit > .zero && !Task.isCancelled)[0].end(limit)
  }
}

/// A shutdown that has begun, and what resumes callers and cancels tasks: called once, and released before the rest.
@usableFromInline
package typealias BegunShutDown = (rest: ShutDown, carryOut: () -> Void)

@usableFromInline
package struct ShutDown: Sendable {
  /// Whether accepted work has time to end.
  @usableFromInline package let hasTime: Bool
  /// Waits, and ends the rest when the limit has passed; returns whether everything ended on its own.
  @usableFromInline package let end: nonisolated(nonsending) @Sendable (_ limit: Duration) async -> Bool

  package init(
    hasTime: Bool, end: nonisolated(nonsending) @escaping @Sendable (_ limit: Duration) async -> Bool
  ) { (self.hasTime, self.end) = (hasTime, end) }

  @_alwaysEmitIntoClient
  nonisolated(nonsending) static func endAll(_ parts: [any Drainable], _ limit: Duration) async -> Bool {
    let parts = begun(parts, hasTime: limit > .zero && !Task.isCancelled)
    return await withTaskGroup(of: Bool.self) { group in
      for part in parts where part.hasTime { group.addTask { await part.end(limit) } }
      var hasEnded = true
      // In this task, which is certainly inside its job even where `ProbeCheck` fails.
      for part in parts where !part.hasTime { hasEnded = await part.end(.zero) && hasEnded }
      for await hasEndedInTime in group { hasEnded = hasEndedInTime && hasEnded }
      return hasEnded
    }
  }

  /// Closes all before anything that this causes runs.
  @usableFromInline static func begun(_ parts: [any Drainable], hasTime: Bool) -> [ShutDown] {
    let begun = parts.map { $0.begin(hasTime: hasTime) }
    for part in begun { part.carryOut() }
    return begun.map(\.rest)
  }
}

extension Drainable {
  fileprivate func begin(hasTime: Bool) -> BegunShutDown {
    if let part = self as? any ShutsDown { return part.beginShutDown(hasTime: hasTime) }
    close()
    return (ShutDown(hasTime: true) { await shutDown(within: $0) }, { if !hasTime { cancelAll() } })
  }
}
