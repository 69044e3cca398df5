import CoalescingTasks

/// This library.
struct Library: Contender {
  static let title = "TaskCoalescer"
  static let shares = true
  static let callersMayLeave = true
  private let coalescer = TaskCoalescer<Int, Int>()

  nonisolated(nonsending) func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int? {
    try? await coalescer.value(for: key) { await operation() }
  }

  var callers: Int { coalescer.snapshot.waiting }
}
