/// Returns the priority of the current task when it has been raised so far, as it is in the middle of a job; but does not wait
/// for ever.
@Sendable func raised(to priority: TaskPriority = .high) async -> TaskPriority {
  for _ in 0..<1_000_000 where Task.currentPriority < priority { await Task.yield() }
  return Task.currentPriority
}
