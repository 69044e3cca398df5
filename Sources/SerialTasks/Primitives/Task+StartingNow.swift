extension Task where Failure == Never {
  /// Creates a task that runs to its first suspension at once, if requested and where the system can.
  ///
  /// Generic and inlined; otherwise the operation would be wrapped twice.
  @discardableResult
  @_alwaysEmitIntoClient @inline(__always)
  package static func starting(
    now: Bool, name: String?, priority: TaskPriority?, _ operation: sending @escaping @isolated(any) () async -> Success
  ) -> Task<Success, Never> {
    if now, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      if let name { return .immediate(name: name, priority: priority, operation: operation) }
      // Safe because the closure is passed on once.
      nonisolated(unsafe) let operation = operation
      var task: Task<Success, Never>!
      // The optimizer inlines the call only in a loop, and would remove a loop over a type that it knows. A call that is not inlined
      // passes on that no executor is preferred. Swift 6.3 stores that like a preference, and locks the task whenever it continues:
      // 1 500 of the 13 900 instructions of a submitted job, 650 of the 12 500 of a lead.
      for _ in CollectionOfOne(TaskPriority.medium) { task = .immediate(priority: priority, operation: operation) }
      return task
    }
    return Task(name: name, priority: priority, operation: operation)
  }
}
