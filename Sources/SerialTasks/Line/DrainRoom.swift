/// Where callers of `drain` and `shutDown` wait for work that was accepted before them.
@usableFromInline
package protocol DrainRoom: WaitingRoom {
  var limits: TimeLimits { get }

  /// The name of what a caller of `drain` waits for, in deadlock errors.
  var label: String { get }

  /// Returns a caller of `drain`; `nil` if there is nothing to wait for.
  func makeDrainer() -> Guest?

  /// Returns whether the caller has to wait, and behind how many jobs and operations; it may wait for handlers alone.
  func decideDrain(_ drainer: Guest, _ effects: inout Effects) -> Arrival

  func carryOut(_ effects: Effects)

  func rejection(of drainer: Guest) -> JobRejection?

  var interruptions: Int { get }
}

extension DrainRoom {
  /// Waits until everything accepted so far has ended; returns why the wait ended early.
  package nonisolated(nonsending) func drain(within limit: Duration? = nil) async -> JobRejection? {
    guard let drainer = makeDrainer() else { return nil }
    return await drain(drainer, within: limit, label: label)
  }

  /// Waits until nothing blocks the drainer; returns why the wait ended early.
  ///
  /// `hasCome` is called when it has begun to wait.
  @inline(never)
  nonisolated(nonsending) func drain(
    _ drainer: Guest, within limit: Duration? = nil, label: String, hasCome: () -> Void = {}
  ) async -> JobRejection? {
    // Otherwise it would end the waits of drafts, raise jobs, and then leave.
    if Task.isCancelled { return .cancelled }
    switch board(drainer, isLimited: limit != nil, label: label) {
    case .rejected(let why): return why
    case .granted: return nil
    case .waiting:
      hasCome()
      self.limit(drainer, to: limit)
      await wait(drainer)
      return rejection(of: drainer)
    }
  }

  @usableFromInline
  func limit(_ waiter: Guest, to limit: Duration?) {
    guard let limit else { return }
    waiter.begin(limits.start(limit) { self.leave(waiter, .late) })
  }

  /// Closes, waits for accepted work until the limit has passed or the calling task is cancelled, then ends the rest
  /// and waits for it; returns whether everything ended on its own.
  ///
  /// `end` rejects later calls, withdraws work that has not begun, and cancels running work, in one step.
  @inline(never)
  package nonisolated(nonsending) func shutDown(within limit: Duration, close: () -> Void, end: () -> Void) async
    -> Bool
  {
    let before = interruptions
    // There is no time if the caller would wait for itself.
    if limit > .zero, !Task.isCancelled, !wouldDeadlock() {
      close()
      if await drain(within: limit) == nil { return interruptions == before }
    }
    end()
    return await drainToTheEnd() && interruptions == before
  }

  /// Waits until everything accepted so far has ended, even in a cancelled task.
  ///
  /// - Returns: Whether nothing is left, the caller's own turns included, which are not awaited.
  private nonisolated(nonsending) func drainToTheEnd() async -> Bool {
    guard let drainer = makeDrainer() else { return true }
    switch board(drainer, isLimited: false, isCancellable: false, label: label) {
    case .granted: return true
    case .rejected: return false
    case .waiting(let ahead):
      await Suspension.park { park(drainer, $0) }
      drainer.endWait()
      return ahead == 0
    }
  }

  private func wouldDeadlock() -> Bool {
    guard HeldTurn.innermost != nil, let drainer = makeDrainer() else { return false }
    return WaitGraph.cycle(closedBy: Wait(for: label, isCancellable: false) { self.blockers(of: drainer) }) != nil
  }

  @inline(never)
  private func board(_ drainer: Guest, isLimited: Bool, isCancellable: Bool = true, label: String) -> Arrival {
    drainer.start = WaitStart(at: limits.clock.now)
    var effects = Effects()
    let arrival = admit(drainer, isLimited: isLimited, isCancellable: isCancellable, label: label) {
      decideDrain(drainer, &effects)
    }
    carryOut(effects)
    return arrival
  }
}
