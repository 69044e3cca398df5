/// The floor: a task for each caller, and nothing shared.
struct SeparateTasks: Contender {
  static let title = "Task {}.value for each"
  static let shares = false
  static let callersMayLeave = true

  nonisolated(nonsending) func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int? {
    let task = Task { await operation() }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  var callers: Int { 0 }
}
