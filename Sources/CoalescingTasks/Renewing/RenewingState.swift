/// The state of a renewing value and all its decisions; runs under the lock, and never resumes, cancels or calls
/// anything.
///
/// ```
///        since                          ahead           until
///   ───────┼─────── fresh ────────────────┼──── valid ────┼──────────►  the clock
///    renew │ returned at once             │ returned, and │ renew
///          │                              │ renewed behind│
/// ```
///
/// Before `since`, the clock was set back: the age of the value is unknown, and it is not valid.
///
/// **Never an older value after a newer one.** Renewals have numbers. A renewal that lands replaces the kept value and ends
/// every older running renewal: its callers get the newer value, and its result is discarded.
@usableFromInline
package struct RenewingState<Value: Sendable>: ~Copyable, Sendable {
  /// A class: a struct with a value of this type would be copied through the type's witnesses wherever it is passed on.
  @usableFromInline
  package final class Kept: Sendable {
    @usableFromInline package let value: Value
    /// The renewal that returned it.
    package let number: UInt64
    @usableFromInline let since: Duration
    @usableFromInline let ahead: Duration
    let until: Duration

    init(_ value: Value, number: UInt64, since: Duration, ahead: Duration, until: Duration) {
      (self.value, self.number) = (value, number)
      (self.since, self.ahead, self.until) = (since, ahead, until)
    }

    func isValid(at now: Duration) -> Bool { since <= now && now < until }
  }

  private struct Failure: Sendable {
    let error: any Error
    let since: Duration
    let until: Duration
  }

  /// The newest value, valid or not.
  @usableFromInline package private(set) var kept: Kept?
  @usableFromInline package var renewals: Succession<OwnerOfFlight, Value>
  /// From `since` to `until`, callers get the error of the last renewal, and no renewal begins.
  private var failure: Failure?
  private let renewAhead: Duration
  private let pauseAfterFailure: Duration?

  package init(renewAhead: Duration = .zero, joinWindow: Duration? = nil, pauseAfterFailure: Duration? = nil) {
    self.renewAhead = renewAhead.bounded
    renewals = Succession(joinWindow: joinWindow, runsToEnd: true)
    self.pauseAfterFailure = pauseAfterFailure?.bounded
  }
}

// MARK: - Arriving

extension RenewingState {
  @_alwaysEmitIntoClient
  package func fresh(at now: Duration) -> Value? {
    guard !renewals.isClosed, let kept, kept.since <= now, now < kept.ahead else { return nil }
    return kept.value
  }

  package enum ArriveAction: Sendable {
    case served(Kept)
    /// The caller starts a renewal for later callers.
    case renewsAhead(Kept, Renewal<Value>)
    case boards(Succession<OwnerOfFlight, Value>.AskAction)
    case rejected(JobRejection)
    /// A renewal has just failed.
    case failed(any Error)
  }

  package mutating func arrive(_ request: RenewalRequest, _ caller: FlightCaller<Renewal<Value>>) -> ArriveAction {
    var request = request
    // A value that has arrived since the clock was read is not older than the call.
    if let kept, kept.number != request.seen { request.now = max(request.now, kept.since) }
    let refusal = caller.rejection ?? request.refusal
    if renewals.isClosed { return .rejected(refusal == .cancelled ? .cancelled : .closed) }
    let (joinable, failure) = (renewals.joinable(at: request.now), failure(at: request.now))
    if request.policy == .join, let kept, kept.isValid(at: request.now), kept.number != request.rejected {
      let isRenewed = joinable != nil || renewals.trailing != nil || failure != nil || refusal != nil
      if isRenewed || request.now < kept.ahead { return .served(kept) }
      guard case .begins(let renewal, _) = ask(request, nil) else { preconditionFailure("there is none to join") }
      return .renewsAhead(kept, renewal)
    }
    if let why = refusal { return .rejected(why) }
    if let failure, joinable == nil || request.policy != .join { return .failed(failure) }
    return .boards(ask(request, caller))
  }

  private mutating func ask(
    _ request: RenewalRequest, _ caller: FlightCaller<Renewal<Value>>?
  ) -> Succession<OwnerOfFlight, Value>.AskAction {
    renewals.ask(request.policy, caller, priority: request.priority, at: request.now) { number, follows in
      Renewal<Value>(
        request.owner, nil, number: number, name: "renewal", priority: request.priority,
        began: follows ? nil : request.now, parks: follows)
    }
  }

  private func failure(at now: Duration) -> (any Error)? {
    guard let failure, failure.since <= now, now < failure.until else { return nil }
    return failure.error
  }
}

// MARK: - Draining

extension RenewingState: DrainedFlights {
  package var drains: FlightDrains {
    _read { yield renewals.drains }
    _modify { yield &renewals.drains }
  }

  package var unended: [Renewal<Value>] { renewals.unended }

  package var interruptions: Int { renewals.interruptions }
}

// MARK: - Landing

extension RenewingState {
  package mutating func land(
    _ renewal: Renewal<Value>, _ result: Result<Renewed<Value>, any Error>, now: Duration
  ) -> FlightEffects<Renewal<Value>> {
    var effects = FlightEffects<Renewal<Value>>()
    renewal.handle = nil
    guard let index = renewals.running.firstIndex(where: { $0 === renewal }) else { return effects }
    switch result {
    case .failure(let error):
      answer(renewals.running[index...index], .failure(error), &effects)
      effects.release(&failure)
      if let pauseAfterFailure { failure = Failure(error: error, since: now, until: now + pauseAfterFailure) }
      if failure(at: now) != nil { answerTrailing(.failure(error), &effects) }
    case .success(let renewed):
      keep(renewed, of: renewal.number, answering: renewals.running[...index], now: now, &effects)
    }
    renewals.goOn(&effects)
    if renewals.isClosed { releaseUnneeded(&effects) }
    return effects
  }

  /// Stores a value as if the newest renewal had just returned it.
  package mutating func replace(with renewed: Renewed<Value>, now: Duration) -> FlightEffects<Renewal<Value>> {
    var effects = FlightEffects<Renewal<Value>>()
    if renewals.isClosed { return effects }
    renewals.flights += 1
    keep(renewed, of: renewals.flights, answering: renewals.running[...], now: now, &effects)
    answerTrailing(.success(renewed.value), &effects)
    return effects
  }

  // Not inlined: these are called in several places.

  @inline(never)
  private mutating func keep(
    _ renewed: Renewed<Value>, of number: UInt64, answering ended: ArraySlice<Renewal<Value>>, now: Duration,
    _ effects: inout FlightEffects<Renewal<Value>>
  ) {
    answer(ended, .success(renewed.value), &effects)
    effects.release(&kept)
    effects.release(&failure)
    let until = now + renewed.validity.bounded
    kept = Kept(renewed.value, number: number, since: now, ahead: until - renewAhead, until: until)
  }

  @inline(never)
  private mutating func answer(
    _ ended: ArraySlice<Renewal<Value>>, _ answer: Result<Value, any Error>,
    _ effects: inout FlightEffects<Renewal<Value>>
  ) {
    for renewal in ended {
      renewal.answer = answer
      renewals.answer(renewal, &effects)
    }
    renewals.running.removeAll { $0.phase == .landed }
  }

  /// Answers the callers of the renewal that waits to follow another: it does not begin.
  private mutating func answerTrailing(
    _ answer: Result<Value, any Error>, _ effects: inout FlightEffects<Renewal<Value>>
  ) {
    guard let trailing = renewals.trailing else { return }
    trailing.answer = answer
    renewals.answer(trailing, &effects)
    effects.resume(trailing.unpark())
    renewals.trailing = nil
  }

  package mutating func withdrawAll() -> FlightEffects<Renewal<Value>> {
    var effects = renewals.withdrawAll()
    effects.release(&kept)
    effects.release(&failure)
    return effects
  }

  /// Lets running renewals continue.
  package mutating func close(_ effects: inout FlightEffects<Renewal<Value>>) {
    renewals.close(&effects)
    releaseUnneeded(&effects)
    effects.release(&failure)
  }

  /// Releases the value of a closed state, unless a renewal may still need it as its previous one.
  private mutating func releaseUnneeded(_ effects: inout FlightEffects<Renewal<Value>>) {
    if renewals.running.isEmpty { effects.release(&kept) }
  }

  package func snapshot(at now: Duration) -> RenewingSnapshot {
    let valid = if !renewals.isClosed, let kept, kept.isValid(at: now) { kept.until - now } else { nil as Duration? }
    return RenewingSnapshot(
      waiting: renewals.waiting, running: renewals.running.count, remaining: valid, isClosed: renewals.isClosed)
  }
}
