/// The whole of what a renewing value knows, and every decision it takes, under its lock; it never resumes, cancels or calls
/// anything.
///
/// ```
///        since                          ahead           until
///   ───────┼─────── fresh ────────────────┼──── valid ────┼──────────►  the clock
///    renew │ returned at once             │ returned, and │ renew
///          │                              │ renewed behind│
/// ```
///
/// A value is also past its validity before `since`: then the clock was set back, and the age of the value is unknown.
///
/// **Never an older value after a newer one.** Renewals have numbers. One that lands replaces what is kept and ends every older
/// one that still runs: their callers get the newer value, and what they return is discarded.
@usableFromInline
package struct RenewingState<Value: Sendable>: ~Copyable, Sendable {
  /// A value, and what is known of its age.
  @usableFromInline
  package struct Kept: Sendable {
    @usableFromInline package let value: Value
    /// The renewal that has returned it.
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
  /// Those that run and are still wanted, in the order of their numbers.
  ///
  /// The last can be joined, unless it is too old.
  package private(set) var running: [Renewal<Value>] = []
  /// All whose tasks have not ended, wanted or not.
  package private(set) var unended: [UInt64: Renewal<Value>] = [:]
  package var drains = FlightDrains()
  @usableFromInline package private(set) var isClosed = false
  /// How many renewals have been withdrawn.
  package private(set) var interruptions = 0
  /// What the last renewal threw, and the times between which callers get it and no renewal begins.
  private var failure: Failure?
  private let renewAhead: Duration
  private let joinWindow: Duration?
  private let pauseAfterFailure: Duration?
  /// How many renewals there have been.
  private var renewals: UInt64 = 0

  package init(renewAhead: Duration = .zero, joinWindow: Duration? = nil, pauseAfterFailure: Duration? = nil) {
    self.renewAhead = renewAhead.bounded
    self.joinWindow = joinWindow
    self.pauseAfterFailure = pauseAfterFailure?.bounded
  }
}

// MARK: - Coming

extension RenewingState {
  /// Returns the newest value, if it is valid and nothing else is to be done.
  @_alwaysEmitIntoClient
  package func fresh(at now: Duration) -> Value? {
    guard !isClosed, let kept, kept.since <= now, now < kept.ahead else { return nil }
    return kept.value
  }

  package enum Arrival: Sendable {
    case served(Value)
    /// The caller has its value, and starts a renewal for later callers.
    case renewsAhead(Value, Renewal<Value>)
    /// The renewal's task is to be raised.
    case joined(Renewal<Value>, raising: Task<Void, Never>?)
    /// The new renewal is the caller's to start.
    case leads(Renewal<Value>)
    case rejected(JobRejection)
    /// A renewal has failed a short time ago.
    case failed(any Error)
    /// The clock was read before the newest value came, or it was set back: it is to be read again.
    case asksForTheTime(seen: UInt64)
  }

  package mutating func arrive(_ request: RenewalRequest, _ caller: Waiter) -> Arrival {
    if isClosed { return .rejected(request.refusal == .cancelled ? .cancelled : .closed) }
    if let kept, request.now < kept.since, request.seen != kept.number { return .asksForTheTime(seen: kept.number) }
    let (joinable, failure) = (joinable(at: request.now), failure(at: request.now))
    if let kept, kept.isValid(at: request.now), kept.number != request.rejected {
      let isRenewed = request.now < kept.ahead || joinable != nil || failure != nil || request.refusal != nil
      return isRenewed ? .served(kept.value) : .renewsAhead(kept.value, begin(request))
    }
    if let why = request.refusal { return .rejected(why) }
    if joinable == nil, let failure { return .failed(failure) }
    let renewal = joinable ?? begin(request)
    renewal.waiters.append(caller)
    return joinable == nil ? .leads(renewal) : .joined(renewal, raising: renewal.escalate(to: caller.priority))
  }

  /// Returns what a caller would wait for that came now.
  package func joinable(at now: Duration) -> Renewal<Value>? {
    guard let last = running.last else { return nil }
    if let joinWindow, now - last.kept.began >= joinWindow { return nil }
    return last
  }

  /// Returns what callers get instead of a renewal, because one has failed a short time ago.
  private func failure(at now: Duration) -> (any Error)? {
    guard let failure, failure.since <= now, now < failure.until else { return nil }
    return failure.error
  }

  private mutating func begin(_ request: RenewalRequest) -> Renewal<Value> {
    renewals += 1
    let renewal = Renewal(
      RenewalAnswer<Value>(owner: request.owner, ownerName: request.name, began: request.now), number: renewals,
      name: "renewal", priority: request.priority)
    running.append(renewal)
    unended[renewals] = renewal
    return renewal
  }
}

// MARK: - Going

extension RenewingState {
  package enum Beginning: Sendable {
    case run(previous: Value?)
    /// It is not wanted any more.
    case gone
  }

  /// Decides what the task of a renewal does that comes to run.
  package func begin(_ renewal: Renewal<Value>) -> Beginning {
    renewal.begin() ? .run(previous: kept?.value) : .gone
  }

  /// Ends a renewal that has returned or thrown, at this time by the clock.
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

  /// Puts in a value as a renewal would that was started last and has just returned.
  package mutating func replace(with renewed: Renewed<Value>, now: Duration) -> FlightEffects {
    var effects = FlightEffects()
    if isClosed { return effects }
    renewals += 1
    keep(renewed, of: renewals, answering: ..<running.endIndex, now: now, &effects)
    return effects
  }

  /// Keeps the value, and ends these renewals with it.
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

  /// Notes that the task of a renewal ends; if it is the last, callers of `drain` go on.
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
    renewal.kept.answer = answer
    renewal.handle = nil
    renewal.waiters.removeAll { caller in
      caller.state = .granted
      effects.common.resume(caller)
    }
  }

  /// Takes out a caller that was cancelled or must not wait; returns whether it still waited.
  package func leave(_ caller: Waiter, _ renewal: Renewal<Value>, _ why: JobRejection = .cancelled) -> Bool {
    if !caller.isWaiting { return false }
    renewal.waiters.remove(caller)
    caller.state = .rejected(why)
    return true
  }

  /// Forgets the value and what would become one.
  package mutating func clear() -> FlightEffects {
    var effects = FlightEffects()
    interruptions += running.count
    for renewal in running { effects.withdraw(renewal) }
    running = []
    effects.release(&kept)
    effects.release(&failure)
    return effects
  }

  /// Lets no renewal begin that has not been started.
  package mutating func close() -> FlightEffects {
    var effects = FlightEffects()
    isClosed = true
    // What runs may still be given it.
    if running.isEmpty { effects.release(&kept) }
    effects.release(&failure)
    return effects
  }

  /// How many callers wait.
  package var waiting: Int { running.reduce(0) { $0 + $1.waiters.count } }

  package func snapshot(at now: Duration) -> RenewingSnapshot {
    let valid = isClosed ? nil : kept.flatMap { $0.isValid(at: now) ? $0.until - now : nil }
    return RenewingSnapshot(waiting: waiting, running: running.count, remaining: valid, isClosed: isClosed)
  }
}
