/// The state of a renewing value and all its decisions.
///
/// Runs under the lock; never resumes, cancels or calls anything.
///
/// ```
///        since                          ahead           until
///   ───────┼─────── fresh ────────────────┼──── valid ────┼──────────►  the clock
///    renew │ returned at once             │ returned, and │ renew
///          │                              │ renewed behind│
/// ```
///
/// Before `since`, the value is not valid either: the clock was set back, and the age of the value is unknown.
///
/// **Never an older value after a newer one.** Renewals have numbers. A renewal that lands replaces the kept value and ends
/// every older running renewal: its callers get the newer value, and its result is discarded.
@usableFromInline
package struct RenewingState<Value: Sendable>: ~Copyable, Sendable {
  /// A value and its age.
  @usableFromInline
  package struct Kept: Sendable {
    @usableFromInline package let value: Value
    /// The renewal that returned it.
    package let number: UInt64
    @usableFromInline let since: Duration
    @usableFromInline let ahead: Duration
    let until: Duration

    func isValid(at now: Duration) -> Bool { since <= now && now < until }
  }

  private struct Failure: Sendable {
    let error: any Error
    let since: Duration
    let until: Duration
  }

  /// The newest value, valid or not.
  @usableFromInline package private(set) var kept: Kept?
  /// The running renewals that are still wanted, in the order of their numbers.
  ///
  /// The last one can be joined, unless it is too old.
  package private(set) var running: [Renewal<Value>] = []
  /// Renewals whose tasks have not ended, wanted or not.
  package private(set) var unended: [UInt64: Renewal<Value>] = [:]
  package var drains = FlightDrains()
  @usableFromInline package private(set) var isClosed = false
  /// The number of renewals that were withdrawn.
  package private(set) var interruptions = 0
  /// The error of the last renewal.
  ///
  /// From `since` to `until`, callers get it and no renewal begins.
  private var failure: Failure?
  private let renewAhead: Duration
  private let joinWindow: Duration?
  private let pauseAfterFailure: Duration?
  /// The number of renewals so far.
  private var renewals: UInt64 = 0

  package init(renewAhead: Duration = .zero, joinWindow: Duration? = nil, pauseAfterFailure: Duration? = nil) {
    self.renewAhead = renewAhead.bounded
    self.joinWindow = joinWindow
    self.pauseAfterFailure = pauseAfterFailure?.bounded
  }
}

// MARK: - Arriving

extension RenewingState {
  /// Returns the newest value if it is valid and no renewal is due.
  @_alwaysEmitIntoClient
  package func fresh(at now: Duration) -> Value? {
    guard !isClosed, let kept, kept.since <= now, now < kept.ahead else { return nil }
    return kept.value
  }

  package enum Arrival: Sendable {
    case served(Value)
    /// The caller has its value, and starts a renewal for later callers.
    case renewsAhead(Value, Renewal<Value>)
    /// The caller joins the renewal, whose task is to be raised.
    case joined(Renewal<Value>, raising: Task<Void, Never>?)
    /// The caller starts the new renewal.
    case leads(Renewal<Value>)
    case rejected(JobRejection)
    /// A renewal has just failed.
    case failed(any Error)
    /// The clock was read before the newest value arrived, or was set back. Read it again.
    case asksForTheTime(seen: UInt64)
  }

  package mutating func arrive(_ request: RenewalRequest, _ caller: FlightCaller) -> Arrival {
    let refusal = caller.rejection ?? request.refusal
    if isClosed { return .rejected(refusal == .cancelled ? .cancelled : .closed) }
    if let kept, request.now < kept.since, request.seen != kept.number { return .asksForTheTime(seen: kept.number) }
    let (joinable, failure) = (joinable(at: request.now), failure(at: request.now))
    if let kept, kept.isValid(at: request.now), kept.number != request.rejected {
      let isRenewed = request.now < kept.ahead || joinable != nil || failure != nil || refusal != nil
      return isRenewed ? .served(kept.value) : .renewsAhead(kept.value, begin(request))
    }
    if let why = refusal { return .rejected(why) }
    if joinable == nil, let failure { return .failed(failure) }
    let renewal = joinable ?? begin(request)
    caller.flight = renewal
    renewal.waiters.append(caller)
    return joinable == nil ? .leads(renewal) : .joined(renewal, raising: renewal.escalate(to: caller.priority))
  }

  /// Returns the renewal that a caller would join at this time.
  package func joinable(at now: Duration) -> Renewal<Value>? {
    guard let last = running.last else { return nil }
    if let joinWindow, now - (last.began ?? now) >= joinWindow { return nil }
    return last
  }

  /// Returns the error that callers get instead of a renewal, shortly after a failure.
  private func failure(at now: Duration) -> (any Error)? {
    guard let failure, failure.since <= now, now < failure.until else { return nil }
    return failure.error
  }

  private mutating func begin(_ request: RenewalRequest) -> Renewal<Value> {
    renewals += 1
    let renewal = Renewal<Value>(
      request.owner, nil, number: renewals, name: "renewal", priority: request.priority, began: request.now)
    running.append(renewal)
    unended[renewals] = renewal
    return renewal
  }
}

// MARK: - Leaving and landing

extension RenewingState {
  package enum Beginning: Sendable {
    case run(previous: Value?)
    /// No caller wants the renewal any more.
    case gone
  }

  /// Decides what a renewal's task does when it runs.
  package func begin(_ renewal: Renewal<Value>, in task: TaskReference?) -> Beginning {
    renewal.begin(in: task) ? .run(previous: kept?.value) : .gone
  }

  /// Ends a renewal that has returned or thrown at this time.
  package mutating func land(
    _ renewal: Renewal<Value>, _ result: Result<Renewed<Value>, any Error>, now: Duration
  ) -> FlightEffects {
    var effects = FlightEffects()
    guard let index = running.firstIndex(where: { $0 === renewal }) else { return effects }
    switch result {
    case .failure(let error):
      end(renewal, .failure(error), &effects)
      running.remove(at: index)
      effects.release(&failure)
      failure = pauseAfterFailure.map { Failure(error: error, since: now, until: now + $0) }
    case .success(let renewed): keep(renewed, of: renewal.number, answering: ...index, now: now, &effects)
    }
    if isClosed, running.isEmpty { effects.release(&kept) }
    return effects
  }

  /// Stores a value as if the newest renewal had just returned it.
  package mutating func replace(with renewed: Renewed<Value>, now: Duration) -> FlightEffects {
    var effects = FlightEffects()
    if isClosed { return effects }
    renewals += 1
    keep(renewed, of: renewals, answering: ..<running.endIndex, now: now, &effects)
    return effects
  }

  /// Stores the value, and ends these renewals with it.
  private mutating func keep(
    _ renewed: Renewed<Value>, of number: UInt64, answering ended: some RangeExpression<Int>, now: Duration,
    _ effects: inout FlightEffects
  ) {
    for older in running[ended] { end(older, .success(renewed.value), &effects) }
    running.removeSubrange(ended)
    effects.release(&kept)
    effects.release(&failure)
    let until = now + renewed.validity.bounded
    kept = Kept(value: renewed.value, number: number, since: now, ahead: until - renewAhead, until: until)
  }

  /// Notes the end of a renewal's task; resumes the callers of `drain` after the last one.
  package mutating func over(_ renewal: Renewal<Value>) -> Effects {
    unended[renewal.number] = nil
    var effects = Effects()
    drains.countDown(renewal.accepted) { effects.resume($0) }
    return effects
  }

  private func end(
    _ renewal: Renewal<Value>, _ answer: Result<Value, any Error>, _ effects: inout FlightEffects
  ) {
    renewal.phase = .landed
    renewal.answer = answer
    renewal.handle = nil
    renewal.waiters.removeAll { caller in
      caller.state = .granted
      effects.common.resume(caller)
    }
  }

  /// Rejects a caller that was cancelled or must not wait; one that has already had its answer is not affected.
  package func leave(_ caller: FlightCaller, _ why: JobRejection = .cancelled) -> Effects {
    var effects = Effects()
    if !caller.isWaiting { return effects }
    caller.state = .rejected(why)
    // It may not have boarded yet.
    caller.flight?.waiters.remove(caller)
    effects.resume(caller)
    return effects
  }

  /// Drops the value and abandons the running renewals.
  package mutating func clear() -> FlightEffects {
    var effects = FlightEffects()
    interruptions += running.count
    for renewal in running { effects.withdraw(renewal) }
    running = []
    effects.release(&kept)
    effects.release(&failure)
    return effects
  }

  /// Rejects later calls.
  ///
  /// Running renewals continue.
  package mutating func close() -> FlightEffects {
    var effects = FlightEffects()
    isClosed = true
    // A running renewal may still need the value as its previous one.
    if running.isEmpty { effects.release(&kept) }
    effects.release(&failure)
    return effects
  }

  /// The number of waiting callers.
  package var waiting: Int { running.reduce(0) { $0 + $1.waiters.count } }

  package func snapshot(at now: Duration) -> RenewingSnapshot {
    let valid = isClosed ? nil : kept.flatMap { $0.isValid(at: now) ? $0.until - now : nil }
    return RenewingSnapshot(waiting: waiting, running: running.count, remaining: valid, isClosed: isClosed)
  }
}
