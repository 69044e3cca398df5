/// A caller of `drain` or `pauseAndWait`, which waits for a line, or for one key of it.
///
/// Safe like ``Waiter``.
package final class LineDrainer: Caller, @unchecked Sendable {
  /// The queue of the key; `nil` if it waits for the whole line.
  let queue: KeyQueue?
  /// Whether it holds a turn, so that a job that comes later may close a cycle.
  let isNested: Bool
  /// Whether that is a turn of the line that it drains.
  let isPart: Bool

  package init(
    of queue: KeyQueue? = nil, pauses: Bool = false, isNested: Bool = false, isPart: Bool = false, priority: UInt8 = 0
  ) {
    self.queue = queue
    self.isNested = isNested
    self.isPart = isPart
    super.init(pauses ? .pauser : .drainer, priority: priority)
  }

  /// Safe because a line has no other drainers.
  static func cast(_ waiter: Waiter) -> LineDrainer { unsafeDowncast(waiter, to: LineDrainer.self) }
}

extension LineState {
  package mutating func close() { isClosed = true }

  /// Decides whether the caller of `drain` or `pauseAndWait` has to wait, and what it raises.
  package mutating func drain(_ drainer: LineDrainer) -> Arrival {
    settle()
    defer { checkInvariants() }
    if drainer.pauses {
      pause()
      if running == unbegun { return .granted }
      drainers.append(drainer)
      return .waiting(escalateRunning(to: drainer.priority))
    }
    if let queue = drainer.queue {
      if queue.isIdle { return .granted }
      queue.drainers.append(drainer)
    } else {
      if isIdle { return .granted }
      drainers.append(drainer)
    }
    return .waiting(escalate(everyJobOf: drainer.queue, to: drainer.priority))
  }

  /// Returns the callers of `drain` for one of the job's keys that hold a turn.
  package func drains(metBy job: Job) -> [LineDrainer] {
    var drains: [LineDrainer] = []
    job.forEachPlace { _, queue in
      if queue.drainers.isEmpty { return }
      queue.drainers.forEach { if LineDrainer.cast($0).isNested { drains.append(.cast($0)) } }
    }
    return drains
  }

  func meetsDrains(_ job: Job) -> Bool { !drains(metBy: job).isEmpty }
}
