import SerialTasks

/// Runs the closure with another patience: how long a call of this module waits for what does not happen before it fails.
///
/// ```swift
/// try await withPatience(.seconds(60)) {  // a real server answers
///   try await requests.waits(for: 100)
/// }
/// ```
///
/// It is for the calls that wait for what the code under test does: `waits(for:)`, ``Gate/arrived(_:file:line:)``,
/// ``ManualClock/sleepers(_:)``, and those of an ``EventLog``. They throw ``WaitTimedOut`` when nothing has come for so long;
/// `arrived()` cannot throw, and ends the process. The default is ten seconds of real time. Tasks that are held at a gate, or
/// sleep on a clock, wait for the test, and so for ever.
///
/// The time is counted in ten parts. After each of them, the task that waits has to be given a thread, so a machine that is busy
/// with other tests makes it longer.
///
/// - **Cancellation** of the calling task: the closure decides.
/// - **Isolation:** the caller's, also that of the closure.
/// - **Reentrancy:** the innermost closure decides. Tasks that are started in it inherit the patience, but for those that inherit
///   nothing, such as those of `Task.detached`.
/// - **Complexity:** O(1).
///
/// - Parameters:
///   - patience: How long to wait; `nil` waits for ever.
///   - body: What to run.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
public nonisolated(nonsending) func withPatience<Result, Failure: Error>(
  _ patience: Duration?, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
) async throws(Failure) -> Result {
  try await Patience.run(patience, body)
}

/// What a call throws that has waited in vain: so many jobs, callers, events or sleepers did not come (``withPatience(_:_:)``).
///
/// A test that expects the wrong thing fails with it, and says what its executors do instead.
public struct WaitTimedOut: Error, CustomStringConvertible {
  /// What did not happen, what there was instead, and who holds what and waits for it in this process.
  public let description: String

  init(_ missing: String, within patience: Duration, found: String) {
    description = "\(missing) within \(patience). \(found)\nIn this process:\n\(WaitReport.current)"
  }
}

enum Patience {
  @TaskLocal fileprivate static var current: Duration? = .seconds(10)

  fileprivate static func run<Result, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ patience: Duration?,
    _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    await $current.withValue(patience) {
      _ = isolation
      do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
    }
    return try result!.get()
  }

  /// Waits with the patience of the calling task.
  ///
  /// - Parameters:
  ///   - missing: What has not happened if the call waits in vain.
  ///   - found: What there is instead.
  ///   - wait: Waits for so long at most, and returns why it did not wait to the end.
  /// - Throws: ``WaitTimedOut``, or `CancellationError`.
  static nonisolated(nonsending) func wait(
    _ missing: @autoclosure () -> String, found: @autoclosure () -> String,
    _ wait: nonisolated(nonsending) (Duration?) async -> JobRejection?
  ) async throws {
    let patience = current
    guard let why = await wait(patience) else { return }
    guard why == .late, let patience else { throw CancellationError() }
    throw WaitTimedOut(missing(), within: patience, found: found())
  }

  /// Waits until so many wait in a room.
  static nonisolated(nonsending) func wait(
    for count: Int, _ who: String = "job", in room: @autoclosure () -> String,
    _ snapshot: @autoclosure () -> some Sendable,
    _ wait: nonisolated(nonsending) (Duration?) async -> JobRejection?
  ) async throws {
    try await self.wait(fewer(than: count, who, "waiting for “\(room())”"), found: "\(snapshot())", wait)
  }

  /// Returns the beginning of a sentence.
  static func fewer(than count: Int, _ who: String, _ what: String) -> String {
    count == 1 ? "No \(who) \(what)" : "Fewer than \(count) \(who)s \(what)"
  }
}
