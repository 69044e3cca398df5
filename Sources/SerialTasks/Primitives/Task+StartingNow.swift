extension Task where Failure == Never {
  /// Creates a task that runs to its first suspension at once, if requested and where the system can.
  ///
  /// Generic and inlined; otherwise the operation would be wrapped twice.
  @discardableResult
  @_alwaysEmitIntoClient @inline(__always)
  static func starting(
    now: Bool, name: String?, priority: TaskPriority?, _ operation: sending @escaping @isolated(any) () async -> Success
  ) -> Task<Success, Never> {
    if now, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate(name: name, priority: priority, operation: operation)
    }
    return Task(name: name, priority: priority, operation: operation)
  }
}
