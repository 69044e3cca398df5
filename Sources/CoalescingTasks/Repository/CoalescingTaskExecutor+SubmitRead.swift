// MARK: - Reading from synchronous code

extension CoalescingTaskExecutor {
  /// Takes a place for a read, or joins an equal one, and returns.
  ///
  /// The operation runs in a new task, with the task-locals of this call. It never starts inside this call.
  ///
  /// ```swift
  /// let read = notes.submitRead(.all) { try await service.fetchNotes() }
  /// let save = notes.submitWrite { try await service.save(note) }  // the read does not see it
  /// ```
  ///
  /// - **Order:** the place is taken before this call returns. The read sees every write that was submitted before it, and
  ///   no write that is submitted after it on the same thread, unless that write takes the place of an earlier one
  ///   (`latest:`).
  /// - **Cancellation:** `SubmittedJob.cancel()` leaves the read. The operation continues for other callers, and is
  ///   cancelled when none is left. ``cancelAll()`` withdraws a read that has not begun, and cancels the operation of a
  ///   running one; the handle then gets its result or error. As with `Task.init`, a cancelled calling task makes no
  ///   difference.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit a read. It must not wait for the read if it touches the read's key.
  /// - **Complexity:** O(1), plus O(jobs ahead) for each higher priority with which a job waits.
  ///
  /// - Parameters:
  ///   - key: Identifies what is read. Two reads with equal keys must be the same read.
  ///   - name: The read's name in events, and the name of its task.
  ///   - priority: The priority of the operation if there is no read to join; `nil` means the caller's.
  ///   - operation: Runs unless there is a read to join.
  /// - Returns: A handle to wait for the result, or to leave. If the read is rejected, the handle already has the error.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitRead<Value: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> SubmittedJob<Value> {
    reads.submit(key, name: name, priority: priority, operation)
  }
}
