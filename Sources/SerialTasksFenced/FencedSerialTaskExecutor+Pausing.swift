// MARK: - Pausing

extension FencedSerialTaskExecutor {
  /// Starts no further job of any key until ``resume()``, except calls made inside a running job, and releases access.
  ///
  /// Running jobs continue. Jobs are still accepted, and wait, including jobs of new keys. If a job has its turn and waits
  /// for access, its request is cancelled, and sent again after the pause. Unused access is released at once, and used
  /// access when its running job has ended. Releasing the executor ends the pause. O(keys).
  public func pause() {
    lines.pause()
    desk.notePause()
  }

  /// Ends a ``pause()``; waiting jobs request access again.
  public func resume() {
    lines.resume()
    desk.notePause()
  }

  /// Starts no further job of any key, and returns when none runs, the completion handlers have been called, and all access
  /// has been released.
  ///
  /// Call it before the app is suspended: when it has returned, this process holds no access and requests none. The
  /// executor stays paused until ``resume()`` is called. Jobs that wait for access do not delay the pause: their requests
  /// are cancelled, and sent again after it. While this call waits, jobs that a running job waits for still request access
  /// and begin. Of several executors, pause the one whose jobs call the others first: a job waits for a paused executor.
  ///
  /// - **Order:** all callers of `pauseAndWait()` are resumed together.
  /// - **Cancellation** of the calling task: *before* the call, the executor is not paused; *waiting*, this call stops
  ///   waiting at once, and ends the pause if it began it.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** inside a job of any key, this call throws `JobRejection.deadlock`, and the executor is not paused.
  /// - **Priority:** raises the running jobs to the priority of the calling task.
  /// - **Complexity:** O(jobs).
  ///
  /// - Throws: `CancellationError`; `JobRejection.withdrawn` if `resume()` is called before this call has returned; or
  ///   `JobRejection.deadlock`.
  public nonisolated(nonsending) func pauseAndWait() async throws {
    let (why, isOwnPause) = await lines.line.pauseAndWait()
    desk.notePause()
    if let why { throw FencedRejection.rejected(why).untyped }
    if let why = await desk.quiet() {
      if isOwnPause, why.isOwn { resume() }
      throw FencedRejection.rejected(why).untyped
    }
  }
}
