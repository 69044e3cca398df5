/// A dictionary of tasks in an actor, the common idiom; not shared with `budget`, whose own says why.
actor TaskDictionary: Contender {
  static let title = "dictionary of tasks in an actor"
  static let shares = true
  static let callersMayLeave = false
  private var running: [Int: Task<Int, Never>] = [:]
  private(set) var callers = 0

  func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int? {
    callers += 1
    if let task = running[key] { return await task.value }
    let task = Task { await operation() }
    running[key] = task
    defer { running[key] = nil }
    return await task.value
  }
}
