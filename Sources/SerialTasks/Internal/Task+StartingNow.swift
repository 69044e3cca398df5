extension Task where Success == Void, Failure == Never {
  /// A task that runs to its first suspension at once, if that is wanted and where the system can.
  @discardableResult
  @inlinable
  static func starting(
    now: Bool, name: String?, priority: TaskPriority?, _ operation: sending @escaping () async -> Void
  ) -> Task<Void, Never> {
    if now, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate(name: name, priority: priority, operation: operation)
    }
    return Task(name: name, priority: priority, operation: operation)
  }
}
