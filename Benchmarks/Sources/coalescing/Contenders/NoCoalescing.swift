/// Each caller runs the operation itself.
struct NoCoalescing: Contender {
  static let title = "no coalescing"
  static let shares = false
  static let callersMayLeave = true

  nonisolated(nonsending) func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int? {
    await operation()
  }

  var callers: Int { 0 }
}
