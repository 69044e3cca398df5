import SerialTasks

/// Opens once; a caller that waits for that leaves when it is cancelled.
///
/// It is a paused executor that has no other use, so that there is no second way to wait in this package.
struct Latch: Sendable {
  private let line: SerialTaskExecutor

  init(clock: any Clock<Duration> = ContinuousClock()) {
    line = SerialTaskExecutor(clock: clock)
    line.pause()
  }

  /// Lets everybody through, now and later.
  func open() { line.resume() }

  /// Rejects all who wait with `JobRejection.withdrawn`; others may come and wait.
  func withdrawAll() { line.cancelAll() }

  /// Returns when the latch is open, or why the caller did not wait for that.
  nonisolated(nonsending) func wait(atMost limit: Duration? = nil) async -> JobRejection? {
    do throws(JobRejection) {
      if let limit {
        try await line.enqueue(waitingAtMost: limit, rejectedAs: { $0 }) { () async throws(JobRejection) in }
      } else {
        try await line.enqueue(rejectedAs: { $0 }) { () async throws(JobRejection) in }
      }
    } catch { return error }
    return nil
  }
}
