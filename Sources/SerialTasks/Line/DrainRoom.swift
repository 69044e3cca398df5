/// Where callers of `drain` and `shutDown` wait for what was there when they came.
@usableFromInline
package protocol DrainRoom: WaitingRoom {
  var limits: TimeLimits { get }

  /// What deadlocks call what a caller of `drain` waits for.
  var label: String { get }

  /// Returns a caller of `drain`, if there is anything to wait for.
  func makeDrainer() -> Waiter?

  /// Returns whether the caller has to wait.
  func decideDrain(_ waiter: Waiter, _ effects: inout Effects) -> Arrival

  func carryOut(_ effects: Effects)

  /// Returns why the caller does not wait any more, if not because what it waits for has ended.
  func rejection(of drainer: Waiter) -> JobRejection?

  /// How often something that was accepted has been withdrawn or cancelled.
  var interruptions: Int { get }
}

extension DrainRoom {
  /// Waits until what is there has ended; returns why the caller did not wait for that.
  package nonisolated(nonsending) func drain(within limit: Duration? = nil) async -> JobRejection? {
    guard let drainer = makeDrainer() else { return nil }
    return await drain(drainer, within: limit, label: label)
  }

  /// Waits until nothing is in the way of the drainer any more.
  ///
  /// - Parameters:
  ///   - drainer: The caller.
  ///   - limit: How long it may wait.
  ///   - label: What it waits for, by name.
  ///   - hasCome: Called when the caller has begun to wait.
  /// - Returns: Why the caller did not wait for that, if it did not.
  nonisolated(nonsending) func drain(
    _ drainer: Waiter, within limit: Duration? = nil, label: String, hasCome: () -> Void = {}
  ) async -> JobRejection? {
    // It would let drafts go on, and raise others, and then leave.
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

  /// Starts the limit of a caller that has to wait, if it has one.
  @usableFromInline
  func limit(_ waiter: Waiter, to limit: Duration?) {
    guard let limit else { return }
    waiter.begin(limits.start(limit) { self.leave(waiter, .late) })
  }

  /// Closes, lets what was accepted end, for as long as the limit says; then ends what can be ended, and waits for the rest.
  ///
  /// - Parameters:
  ///   - limit: How long it may take. It is over when the calling task is cancelled.
  ///   - close: Lets nothing come any more, and what has come begin.
  ///   - end: Lets nothing come any more, withdraws what waits, and cancels what runs, in one step.
  /// - Returns: Whether all ended by itself, and in time.
  package nonisolated(nonsending) func shutDown(within limit: Duration, close: () -> Void, end: () -> Void) async
    -> Bool
  {
    let before = interruptions
    // A caller that would wait for itself has no time to give.
    if limit > .zero, !Task.isCancelled, !wouldDeadlock() {
      close()
      if await drain(within: limit) == nil { return interruptions == before }
    }
    end()
    return await drainToTheEnd() && interruptions == before
  }

  /// Waits until what is there has ended, also if the calling task is cancelled.
  ///
  /// - Returns: Whether there was nothing to wait for, not even the caller's own turns, which are not waited for.
  private nonisolated(nonsending) func drainToTheEnd() async -> Bool {
    guard let drainer = makeDrainer() else { return true }
    switch board(drainer, isLimited: false, isCancellable: false, label: label) {
    case .granted: return true
    case .rejected: return false
    case .waiting:
      await Suspension.park { park(drainer, $0) }
      drainer.endWait()
      return false
    }
  }

  private func wouldDeadlock() -> Bool {
    guard HeldTurn.innermost != nil, let drainer = makeDrainer() else { return false }
    return WaitGraph.cycle(closedBy: Wait(for: label, isCancellable: false) { self.blockers(of: drainer) }) != nil
  }

  @inline(never)
  private func board(_ drainer: Waiter, isLimited: Bool, isCancellable: Bool = true, label: String) -> Arrival {
    drainer.start = WaitStart(at: limits.clock.now)
    var effects = Effects()
    let arrival = admit(drainer, isLimited: isLimited, isCancellable: isCancellable, label: label) {
      decideDrain(drainer, &effects)
    }
    carryOut(effects)
    return arrival
  }
}
