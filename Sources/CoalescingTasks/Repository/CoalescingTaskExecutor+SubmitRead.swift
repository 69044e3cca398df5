extension CoalescingTaskExecutor {
  /// Takes a place for a read, or joins an equal one, and returns a handle to wait for the result, or to leave.
  ///
  /// The operation runs in a new task, with the task-locals of this call, and never starts inside it. If the read is
  /// rejected, the handle already has the error. Otherwise like ``read(_:name:priority:waitingAtMost:_:)``:
  ///
  /// ```swift
  /// let read = notes.submitRead(.all) { try await service.fetchNotes() }
  /// let save = notes.submitWrite { try await service.save(note) }  // the read does not see it
  /// ```
  ///
  /// - **Order:** the place is taken before this call returns. The read sees every write that was submitted before it,
  ///   and no write that is submitted after it on the same thread, unless that write takes the place of an earlier one
  ///   (`latest:`).
  /// - **Cancellation:** `SubmittedJob.cancel()` leaves the read. The operation continues for other callers, and is
  ///   cancelled when none is left. ``cancelAll()`` withdraws a read that has not begun, and cancels the operation of a
  ///   running one; the handle then gets its result or error. A cancelled calling task makes no difference.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit a read. It must not wait for the read if it touches the read's key.
  /// - **Complexity:** O(1), plus O(jobs ahead) for each higher priority with which a job waits.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitRead<Value: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> SubmittedJob<Value> {
    reads.submit(key, name: name, priority: priority, operation)
  }
}
