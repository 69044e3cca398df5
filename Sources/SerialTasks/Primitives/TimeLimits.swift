/// Ends waits when their time is over; one task sleeps for all of them.
@usableFromInline
package final class TimeLimits: Sendable {
  package let clock: AnyClock
  private let queue = Lock(TimeLimitQueue())

  package init(clock: AnyClock) { self.clock = clock }

  /// Starts a limit, to be ended with its wait; when it passes, `expire` is called once.
  package func start(_ duration: Duration, expire: @escaping @Sendable () -> Void) -> TimeLimit {
    start(until: clock.now + duration.bounded, expire: expire)
  }

  package func start(until deadline: Duration, expire: @escaping @Sendable () -> Void) -> TimeLimit {
    let limit = TimeLimit(deadline: deadline, of: self, expire: expire)
    carryOut(queue.withLock { $0.insert(limit) })
    return limit
  }

  func remove(_ limit: TimeLimit) { carryOut(queue.withLock { $0.remove(limit) }) }

  private func carryOut(_ change: TimeLimitQueue.Change) {
    change.cancelled?.cancel()
    guard let sleeper = change.started else { return }
    let task = Task.detached(priority: .high) { [self] in await sleep(sleeper) }
    if !queue.withLock({ $0.keep(task, sleeper) }) { task.cancel() }
  }

  private func sleep(_ sleeper: UInt64) async {
    var wake = pass(at: clock.now, sleeper)
    while let moment = wake {
      // If the clock fails, the limit passes: its caller must not wait forever.
      let isTrusted = await clock.hasSlept(until: moment)
      wake = pass(at: isTrusted ? clock.now : moment, sleeper)
    }
  }

  /// Returns when to wake again.
  ///
  /// Not inlined: see ``Lock``.
  @inline(never)
  private func pass(at now: Duration, _ sleeper: UInt64) -> Duration? {
    let (passed, next) = queue.withLock { $0.takePassed(at: now, for: sleeper) }
    for limit in passed { limit.expire() }
    return next
  }
}
