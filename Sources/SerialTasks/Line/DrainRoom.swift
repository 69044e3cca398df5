/// Where callers of `drain` and `shutDown` wait for work that was accepted before them.
///
/// ```
///                           everything has ended
///   begun: it is closed ───────────────────────────────────────────────────────► over
///     │ no time, late, cancelled                    everything has ended          ▲
///     └────────────────────────► the rest is withdrawn, and what runs cancelled ──┘
/// ```
package protocol DrainRoom: WaitingRoom where Guest: Caller {
  associatedtype DrainEffects: Sendable

  var clock: AnyClock { get }

  /// What a caller waits for, in deadlock errors.
  func label(of drainer: Guest) -> String

  var isIdle: Bool { get }

  func makeDrainer() -> Guest

  /// Returns whether the caller has to wait, and behind how many jobs and operations; it may wait for handlers alone.
  func join(_ drainer: Guest) -> (Arrival, DrainEffects?)

  /// See ``ShutDownState/shutDown(_:withdraws:after:)``.
  func shutDown(_ drainer: Guest, withdraws: Bool, after first: Guest?) -> (ShutDownStep, DrainEffects?)

  func carryOut(_ effects: DrainEffects)

  func rejection(of drainer: Guest) -> JobRejection?
}

@usableFromInline
package struct ShutDownStep: Sendable {
  let arrival: Arrival
  /// How many accepted jobs and operations were withdrawn or cancelled so far.
  let interruptions: Int
}

package protocol ShutDownState: ~Copyable {
  associatedtype Drainer: Waiter
  associatedtype DrainEffects: Sendable

  var interruptions: Int { get }

  /// Closes, withdraws and cancels if asked to; the caller waits for what is left.
  mutating func end(_ drainer: Drainer, withdraws: Bool) -> (arrival: Arrival, effects: DrainEffects)
}

extension ShutDownState where Self: ~Copyable {
  /// Does what ``end(_:withdraws:)`` does; but nothing if another caller has waited until everything had ended.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package mutating func shutDown(
    _ drainer: Drainer, withdraws: Bool, after first: Drainer?
  ) -> (ShutDownStep, DrainEffects?) {
    let ended = first?.isRejected ?? true ? end(drainer, withdraws: withdraws) : nil
    return (ShutDownStep(arrival: ended?.arrival ?? .granted, interruptions: interruptions), ended?.effects)
  }
}

// Rare calls, which are not specialized for each room: that would be 20 KB of each client.
extension DrainRoom {
  /// Waits until everything accepted so far has ended; returns why the wait ended early.
  @_semantics("optimize.sil.specialize.generic.never")
  package nonisolated(nonsending) func drain() async -> JobRejection? {
    isIdle ? nil : await drain(makeDrainer())
  }

  /// Waits with this drainer; calls `hasCome` when it has begun to wait.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  nonisolated(nonsending) func drain(_ drainer: Guest, hasCome: () -> Void = {}) async -> JobRejection? {
    // Otherwise it would end holds, raise jobs, and then leave.
    if Task.isCancelled { return .cancelled }
    switch begin(drainer) {
    case .rejected(let why): return why
    case .granted: return nil
    case .waiting:
      hasCome()
      await wait(drainer)
      return rejection(of: drainer)
    }
  }

  @inline(never)
  private func begin(_ drainer: Guest) -> Arrival {
    drainer.start = WaitStart(at: clock.now)
    var effects: DrainEffects?
    let arrival = admit(drainer, label: label(of: drainer)) {
      let (arrival, joined) = join(drainer)
      effects = joined
      return arrival
    }
    if let effects { carryOut(effects) }
    return arrival
  }
}

// MARK: - Shutting down

extension DrainRoom {
  /// Begins a shutdown; there is no time if the caller would wait for itself.
  @_semantics("optimize.sil.specialize.generic.never")
  package func beginShutDown(hasTime: Bool) -> BegunShutDown {
    let (hasTime, drainer) = (hasTime && !wouldDeadlock(), makeDrainer())
    drainer.start = WaitStart(at: clock.now)
    let (first, effects) = shutDown(drainer, withdraws: !hasTime, after: nil)
    let rest = ShutDown(hasTime: hasTime) { limit in
      guard hasTime, first.arrival.isWait else {
        return await self.waitForTheRest(after: first, drainer, since: first)
      }
      drainer.begin(TimeLimits(clock: self.clock).start(limit) { self.leave(drainer, .late) })
      await self.wait(drainer)
      let (last, next) = self.endShutDown(after: drainer)
      return await self.waitForTheRest(after: last, next, since: first)
    }
    return (rest, { effects.map(self.carryOut) })
  }

  @inline(never)
  private func endShutDown(after drainer: Guest) -> (ShutDownStep, Guest) {
    let next = makeDrainer()
    next.start = WaitStart(at: clock.now)
    let (last, effects) = shutDown(next, withdraws: true, after: drainer)
    effects.map(carryOut)
    return (last, next)
  }

  private func wouldDeadlock() -> Bool {
    if HeldTurn.innermost == nil || isIdle { return false }
    let drainer = makeDrainer()
    let wait = Wait(for: label(of: drainer), isCancellable: false) { self.blockers(of: drainer) }
    return WaitGraph.cycle(closedBy: wait) != nil
  }

  /// Waits for what is left after the last step, even in a cancelled task; not for the caller's own turns.
  ///
  /// - Returns: Whether only handlers were left, and nothing was interrupted since the first step; what that interrupts is left.
  private nonisolated(nonsending) func waitForTheRest(
    after step: ShutDownStep, _ drainer: Guest, since first: ShutDownStep
  ) async -> Bool {
    let hasEnded = step.interruptions == first.interruptions
    guard case .waiting(let ahead) = step.arrival else { return hasEnded }
    guard admit(drainer, isCancellable: false, label: label(of: drainer), { step.arrival }).isWait else { return false }
    await Suspension.park { park(drainer, $0) }
    drainer.endWait()
    return hasEnded && ahead == 0
  }
}
