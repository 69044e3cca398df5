import Synchronization

package final class TimeLimit: OngoingWait {
  let deadline: Duration
  /// Accessed only under the lock of its ``TimeLimits``; -1 if it is not in the queue.
  private let position = Atomic(-1)
  private let limits: TimeLimits?
  /// Ends the wait unless it has ended; called at most once, without a lock.
  let expire: @Sendable () -> Void

  package init(deadline: Duration, of limits: TimeLimits? = nil, expire: @escaping @Sendable () -> Void) {
    (self.deadline, self.limits, self.expire) = (deadline, limits, expire)
  }

  package func end() { limits?.remove(self) }

  package fileprivate(set) var index: Int? {
    get {
      let index = position.load(ordering: .relaxed)
      return index < 0 ? nil : index
    }
    set { position.store(newValue ?? -1, ordering: .relaxed) }
  }
}

/// A binary heap, the earliest limit first, whose elements know their index.
struct TimeLimitQueue: Sendable {
  private(set) var limits: [TimeLimit] = []
  private(set) var wakesAt: Duration?
  /// The number of the newest task; older ones do nothing any more.
  private(set) var sleeper: UInt64 = 0
  private var task: Task<Void, Never>?

  init() {}

  struct Change: Sendable {
    var started: UInt64?
    var cancelled: Task<Void, Never>?
  }

  mutating func insert(_ limit: TimeLimit) -> Change {
    limit.index = limits.count
    limits.append(limit)
    rise(limit)
    return limits[0] === limit ? wake(at: limit.deadline) : Change()
  }

  mutating func remove(_ limit: TimeLimit) -> Change {
    guard let index = limit.index else { return Change() }
    let last = limits.removeLast()
    limit.index = nil
    if last !== limit {
      place(last, at: index)
      rise(last)
      sink(last)
    }
    // Otherwise the task wakes as planned: most limits of a line are equal, and end in order.
    return limits.isEmpty ? wake(at: nil) : Change()
  }

  /// Returns as `next` when the task must wake again.
  mutating func takePassed(at now: Duration, for sleeper: UInt64) -> (passed: [TimeLimit], next: Duration?) {
    guard sleeper == self.sleeper else { return ([], nil) }
    var passed: [TimeLimit] = []
    while let first = limits.first, first.deadline <= now {
      _ = remove(first)
      passed.append(first)
    }
    if sleeper == self.sleeper { wakesAt = limits.first?.deadline }
    return (passed, limits.first?.deadline)
  }

  mutating func keep(_ task: Task<Void, Never>, _ sleeper: UInt64) -> Bool {
    guard sleeper == self.sleeper, wakesAt != nil else { return false }
    self.task = task
    return true
  }

  private mutating func wake(at moment: Duration?) -> Change {
    sleeper += 1
    wakesAt = moment
    return Change(started: moment == nil ? nil : sleeper, cancelled: task.take())
  }

  private mutating func place(_ limit: TimeLimit, at index: Int) {
    limits[index] = limit
    limit.index = index
  }

  private mutating func rise(_ limit: TimeLimit) {
    while let index = limit.index, index > 0, limit.deadline < limits[(index - 1) / 2].deadline {
      place(limits[(index - 1) / 2], at: index)
      place(limit, at: (index - 1) / 2)
    }
  }

  private mutating func sink(_ limit: TimeLimit) {
    while let index = limit.index, 2 * index + 1 < limits.count {
      var child = 2 * index + 1
      if child + 1 < limits.count, limits[child + 1].deadline < limits[child].deadline { child += 1 }
      guard limits[child].deadline < limit.deadline else { return }
      place(limits[child], at: index)
      place(limit, at: child)
    }
  }
}
