import SerialTasks

/// Runs the closure with another patience: how long calls of this module wait before they fail.
///
/// ```swift
/// try await withPatience(.seconds(60)) {  // a real server answers
///   try await requests.waitUntil(waiting: 100)
/// }
/// ```
///
/// It applies to calls that wait for the code under test: `waitUntil(waiting:)`,
/// ``Gate/waitForArrivals(_:file:line:)``, ``ManualClock/waitForSleepers(_:)``, and those of an ``EventLog``. They
/// throw ``WaitTimeoutError``; `waitForArrivals()` ends the process. The default is ten seconds of real time; `nil`
/// means no limit. Tasks that are held at a gate, or sleep on a clock, wait without a limit.
///
/// The time is counted in ten parts, and after each the waiting task must get a thread again: on a busy machine, the
/// patience is longer. O(1).
///
/// - **Isolation:** the caller's, for the closure too.
/// - **Reentrancy:** the innermost closure decides, also for tasks that are started in it, except detached tasks.
public nonisolated(nonsending) func withPatience<Result, Failure: Error>(
  _ patience: Duration?, _ body: nonisolated(nonsending) () async throws(Failure) -> Result
) async throws(Failure) -> Result {
  try await Patience.run(patience, body)
}

/// The error of a call that waited in vain for jobs, callers, events or sleepers (``withPatience(_:_:)``).
public struct WaitTimeoutError: Error, CustomStringConvertible {
  /// What did not happen, what happened instead, and the holders and waiters of this process.
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

  static nonisolated(nonsending) func wait(
    _ missing: @autoclosure () -> String, found: @autoclosure () -> String,
    _ wait: nonisolated(nonsending) (Duration?) async -> JobRejection?
  ) async throws {
    let patience = current
    guard let why = await wait(patience) else { return }
    guard why == .late, let patience else { throw CancellationError() }
    throw WaitTimeoutError(missing(), within: patience, found: found())
  }

  static nonisolated(nonsending) func wait(
    for count: Int, _ who: String = "job", in room: @autoclosure () -> String,
    _ snapshot: @autoclosure () -> some Sendable,
    _ wait: nonisolated(nonsending) (Duration?) async -> JobRejection?
  ) async throws {
    try await self.wait(fewer(than: count, who, "waiting for “\(room())”"), found: "\(snapshot())", wait)
  }

  static func fewer(than count: Int, _ who: String, _ what: String) -> String {
    count == 1 ? "No \(who) \(what)" : "Fewer than \(count) \(who)s \(what)"
  }
}
