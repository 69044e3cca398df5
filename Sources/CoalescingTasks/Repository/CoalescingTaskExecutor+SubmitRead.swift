// MARK: - Reading from synchronous code

extension CoalescingTaskExecutor {
  /// Takes a place for a read, or joins an equal one, and returns.
  ///
  /// The operation never starts inside this call. It runs in a task of its own, with the task-locals of this call, in the
  /// closure's isolation.
  ///
  /// ```swift
  /// let read = notes.submitRead(.all) { try await service.fetchNotes() }
  /// let save = notes.submitWrite { try await service.save(note) }  // the read does not see it
  /// ```
  ///
  /// - **Order:** the place is taken before this call returns: the read sees every write that was submitted before it, and
  ///   none that is submitted after it on the same thread, except one that takes the place of an earlier write (`latest:`).
  /// - **Cancellation:** ``SubmittedJob/cancel()`` leaves the read like a caller that is cancelled; the operation goes on for
  ///   the others, and is cancelled when no caller is left. ``cancelAll()`` withdraws the read if it has not begun, and cancels
  ///   its operation if it runs; the handle then gets what the operation returns or throws. Like `Task.init`, this call does
  ///   not check whether the calling task is cancelled.
  /// - **Isolation:** the closure's.
  /// - **Reentrancy:** a job may submit a read, and must not wait for it if it touches the read's key.
  /// - **Complexity:** O(1), and O(jobs ahead) for each higher priority with which a job waits.
  ///
  /// - Parameters:
  ///   - key: Identifies what is read. Two reads with equal keys must be the same read.
  ///   - name: The read's name in events, and the name of its task.
  ///   - priority: The priority of the operation if there is no read to join; `nil` means the caller's.
  ///   - operation: Performs the read, unless there is a read to join.
  /// - Returns: A handle to wait for the result or to stop waiting for it. A read that is rejected is settled when this call
  ///   returns.
  @discardableResult
  @_alwaysEmitIntoClient
  public func submitRead<Value: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> SubmittedJob<Value> {
    reads.submit(key, name: name, priority: priority, operation)
  }
}
