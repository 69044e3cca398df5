extension CoalescingTaskExecutor {
  /// Takes a place for a write of every key and returns; the job has no task until its turn has come.
  ///
  /// This method is to ``submitWrite(name:priority:_:)`` what ``SerialTaskExecutor/submitDetached(name:priority:_:)`` is to
  /// ``SerialTaskExecutor/submit(name:priority:_:)``: nothing of the caller is inherited, and a waiting job takes less memory.
  /// Like ``submitWrite(name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means `.medium`. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @inlinable
  public func submitWriteDetached<Success: Sendable>(
    name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    line.submitDetached(name: name, priority: priority ?? .medium, job) {
      line.join($0)
    }
  }

  /// Takes a place for a write of some keys and returns; the job has no task until it is alone on them.
  ///
  /// Like ``submitWriteDetached(name:priority:_:)``, for the keys that ``write(touching:name:waitingAtMost:_:)`` would be
  /// given.
  ///
  /// - Parameters:
  ///   - keys: The keys that the job touches; see ``write(touching:name:waitingAtMost:_:)``.
  ///   - name: The job's name in events and snapshots, and the name of its task.
  ///   - priority: The priority of the job's task; `nil` means `.medium`. It does not affect the order.
  ///   - job: The closure to run.
  /// - Returns: A handle to wait for the job or to cancel it. A job that is rejected is settled when this call returns.
  @discardableResult
  @inlinable
  public func submitWriteDetached<Success: Sendable>(
    touching keys: some Sequence<Key>, name: String? = nil, priority: TaskPriority? = nil,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let touched = Touched(keys)
    return line.submitDetached(name: name, priority: priority ?? .medium, job) {
      line.join($0, touching: touched)
    }
  }
}
