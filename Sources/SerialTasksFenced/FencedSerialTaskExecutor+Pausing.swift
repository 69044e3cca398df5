import SerialTasks

// MARK: - Pausing

extension FencedSerialTaskExecutor {
  /// Lets the running jobs end, starts no other job of any key until ``resume()``, and gives access back.
  ///
  /// Jobs are still accepted, and wait, including those of keys that are first used later. A job that has its turn and waits for
  /// access waits on: its request is cancelled, and sent again after the pause. Access that no job uses is released, and so is
  /// the access of each running job when that has ended, however many jobs wait. An executor that is released resumes. O(keys).
  public func pause() {
    lines.pause()
    desk.notePause()
  }

  /// Ends a ``pause()``.
  ///
  /// Jobs that wait ask for access again.
  public func resume() {
    lines.resume()
    desk.notePause()
  }

  /// Lets the running jobs end, starts no other job of any key, and returns when none runs and all access has been given back.
  ///
  /// Call it before the app is suspended: after it, this process holds no access and asks for none, whatever waits. The executor
  /// stays paused, as after ``pause()``, until ``resume()`` is called. Jobs that wait for access when the pause begins do not
  /// delay it: their requests are cancelled, and sent again after the pause. What a running job waits for in its turn still asks
  /// for access and begins while this call waits, as with a `KeyedSerialTaskExecutor`.
  ///
  /// - **Order:** all callers of `pauseAndWait()` are resumed together.
  /// - **Cancellation** of the calling task: *before* the call, the executor is not paused; *waiting*, this call stops waiting
  ///   at once, and ends the pause if it began it.
  /// - **Isolation:** the caller's.
  /// - **Reentrancy:** from inside a job of any key, this call throws `JobRejection.deadlock`, and the executor is not paused.
  /// - **Priority:** the jobs that run are raised to the priority of the calling task.
  /// - **Complexity:** O(jobs).
  ///
  /// - Throws: `CancellationError`; `JobRejection.withdrawn` if `resume()` is called before the last job has ended and access is
  ///   back, so that this call cannot keep its promise; or `JobRejection.deadlock`.
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
