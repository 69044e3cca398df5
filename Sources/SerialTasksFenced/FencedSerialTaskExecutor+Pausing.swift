extension FencedSerialTaskExecutor {
  /// Starts no further job of any key until ``resume()``, except calls made inside a running job, and releases access.
  ///
  /// Running jobs continue. Jobs are still accepted, and wait. A request for access is cancelled, and sent again after the pause.
  /// Unused access is released at once, and used access when its job has ended. Releasing the executor ends the pause. O(keys).
  public func pause() {
    lines.pause()
    desk.notePause()
  }

  /// Ends a ``pause()``; waiting jobs request access again.
  public func resume() {
    lines.resume()
    desk.notePause()
  }

  /// Starts no further job of any key, and returns when none runs, the completion handlers have been called, and all
  /// access has been released.
  ///
  /// Call it before the app is suspended: from its return until ``resume()``, this process holds no access and requests
  /// none. Jobs that wait for access do not delay the pause. While this call waits, jobs that a running job waits for
  /// still request access and begin.
  ///
  /// Otherwise like `SerialTaskExecutor.pauseAndWait()`, which also says which of several executors to pause first.
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
