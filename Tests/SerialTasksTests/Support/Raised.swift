import SerialTasks

extension Few<Escalation> {
  /// Whose tasks are raised, and to what; a caller's own is not known by name.
  var raised: Set<String> {
    Set(
      elements.map { escalation in
        switch escalation.target {
        case .job(let waiter): "\(waiter.name ?? "?") to \(escalation.priority)"
        case .caller: "caller to \(escalation.priority)"
        }
      })
  }
}

extension Arrival {
  /// Whom a job that has to wait raises; `nil` if it does not wait.
  var raised: Set<String>? {
    if case .waiting(let escalations) = self { escalations.raised } else { nil }
  }
}

/// Returns the priority of the current task when it has been raised so far, as it is in the middle of a job; but does not wait
/// for ever.
@Sendable func raised(to priority: TaskPriority = .high) async -> TaskPriority {
  for _ in 0..<1_000_000 where Task.currentPriority < priority { await Task.yield() }
  return Task.currentPriority
}
