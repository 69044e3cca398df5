/// The line of one executor: jobs run strictly one after the other.
///
/// What a caller does that finds the line free is here and in ``perform(isolation:name:waitingAtMost:rejectedAs:_:)``, which
/// has to be specialised in the client; the rest is compiled once.
@usableFromInline
package final class SerialLine: Line, @unchecked Sendable {
  // Safe because the state is behind its lock and the rest is immutable.

  /// Reached through ``locked(_:)`` alone, but by observers, who ask only for those that wait.
  package let lock: Lock<LineState>
  /// The turn, while no other task waits for it.
  private let word: TurnWord
  package let observers = WaitObservers<LineState>()

  package init(
    name: String?, type: StaticString, capacity: Int? = nil, clock: some Clock<Duration> = ContinuousClock(),
    limits: WatchLimits = WatchLimits(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    // Not a precondition: those say nothing in release builds.
    if let capacity, capacity < 1 { fatalError("capacity must be at least 1, and is \(capacity)") }
    lock = Lock(LineState(capacity: capacity, observers: observers))
    word = TurnWord(isOpen: onEvent == nil)
    super.init(name: name, type: type, clock: AnyClock(clock), limits: limits, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }

  /// The one way to the state: it is told first what only the word knew.
  @inline(__always)
  package func locked<Result: Sendable>(_ body: (inout LineState) -> Result) -> Result {
    lock.withLock { state in
      if let task = word.close() { state.take(for: task) }
      let result = body(&state)
      if state.isOpen, onEvent == nil { word.open() }
      return result
    }
  }

  // MARK: Decisions

  @usableFromInline
  package override func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    locked { _ in waiter.park(suspension) }
  }
  override func decideBegin(_ waiter: Waiter) -> Beginning {
    let beginning = locked { $0.begin(waiter) }
    if case .waitAgain = beginning { carryOut(locked { $0.giveWay() }) }
    return beginning
  }
  @usableFromInline
  package override func finish(_ waiter: Waiter) -> EscalationPin? { finish(waiter.place) }
  override func decideNext(after job: Submission) -> Submission? { locked { $0.handOn(from: job) } }
  override func decideFinish(_ job: Submission, mayGoOn: Bool) -> (effects: Effects, next: Submission?) {
    locked { state in
      let task = job.handle.take()
      var effects = state.finish(job.place).effects
      guard mayGoOn, let next = effects.takeStarted(inTaskOf: job, task) else { return (effects, nil) }
      _ = state.begin(next)
      return (effects, next)
    }
  }
  override func decideLeave(_ waiter: Waiter, _ why: JobRejection) -> Departure {
    locked { $0.leave(waiter, why) }
  }
  override func decideCancel(_ job: Waiter) -> (departure: Departure, task: Task<Void, Never>?) {
    locked { state in
      job.isCancelled = true
      return (state.leave(job, .cancelled), job.handle)
    }
  }
  override func decideTold(_ waiters: [Waiter]) -> Effects { locked { $0.told(waiters.count) } }
  override func decideEscalation(_ job: Waiter, to priority: UInt8) -> Few<Escalation> {
    locked { $0.escalate(job, to: priority) }
  }
  override func decideAttach(_ task: Task<Void, Never>, to job: Waiter) -> Attachment {
    locked { _ in job.attach(task) }
  }
  @usableFromInline
  override func decideDrain(_ waiter: Waiter) -> Arrival { locked { $0.drain(waiter) } }
  override func decideWaitStart(of waiter: Waiter, at start: WaitStart) -> (ahead: Int, isDraft: Bool) {
    (locked { $0.noteWaitStart(of: waiter, at: start) }, false)
  }
  override func collect() -> [Holding] {
    let label = label
    return locked { $0.holding(named: { label }) }.map { [$0] } ?? []
  }
  override func decideWaiting(behind places: Set<Place>) -> [Place: Int] {
    locked { [$0.turn.place: $0.waiting.count + $0.drainers.count] }
  }
  @usableFromInline
  override func makeDrainer() -> Waiter? {
    if locked({ $0.isIdle }) { return nil }
    return Caller(isDrainer: true, priority: Task.currentPriority.rawValue)
  }
  override func makePauser() -> Waiter { Caller(pauses: true, priority: Task.currentPriority.rawValue) }
  override func decideWithdrawal(cancelsCallers: Bool) -> Withdrawal {
    locked { $0.withdrawAll(cancelsCallers: cancelsCallers) }
  }
  @usableFromInline
  package override func blockers(of waiter: Waiter) -> Blockers {
    locked { $0.blockers(of: waiter, node: self) }
  }
  override func blockers(ofEndOf job: Waiter) -> Blockers {
    locked { job.rejection != nil || $0.turn.isFree ? .none : .all([self]) }
  }
  package override func isWatched() { locked { $0.turn.waiter }?.isWatched() }
  override func job(of turn: WaitNode) -> String? { locked { $0.turn.name } }
  override func hasCome(_ waiter: Waiter) { observers.tell() }
  @usableFromInline
  override func read<Result: Sendable>(_ body: () -> Result) -> Result { locked { _ in body() } }

  // MARK: Lifecycle

  func pause() { locked { $0.pause() } }

  func resume() { carryOut(locked { $0.resume() }) }

  override func close() { locked { $0.close() } }

  var snapshot: ExecutorSnapshot {
    locked { state in
      ExecutorSnapshot(
        waiting: state.waiting.count, running: state.turn.isFree ? 0 : 1, runningJob: state.turn.name,
        isPaused: state.isPaused, isClosed: state.isClosed, capacity: state.capacity)
    }
  }
}

// MARK: - One call

extension SerialLine {
  @usableFromInline
  enum Ticket {
    /// The line was free: the turn is the caller's.
    case granted(Place)
    /// The caller has a place, and waits for its turn.
    case waiting(Waiter)
    case rejected(JobRejection)
  }

  /// Runs one job in the calling task and the caller's isolation, if its turn comes in time.
  ///
  /// It is generic, so it must be specialised in the client: on an unspecialised path it costs three times as much. Only what
  /// depends on the job's types is here; all else is a call into compiled code.
  @inlinable @inline(__always)
  func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, name: String?, waitingAtMost limit: Duration? = nil,
    rejectedAs failure: (JobRejection) -> Failure, _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let own = name == nil ? enterUnnamed() : nil
    var place: Place = 0
    if own == nil {
      switch arrive(named: name, waitingAtMost: limit) {
      case .granted(let granted): place = granted
      case .waiting(let waiter):
        await waitForTurn(isolation: isolation, waiter)
        if let why = waiter.rejection { throw failure(why) }
        place = waiter.place
      case .rejected(let why): throw failure(why)
      }
    }

    // `withValue` knows neither typed errors nor move-only results: both leave through captured variables.
    var success: Success?
    var thrown: Failure?
    let marker = limit == nil ? marker(in: markers) : limitedMarker(in: markers)
    await markers.withValue(marker) {
      // Captured, so that the closure is isolated like the caller. Without it each job would hop to the pool and back.
      _ = isolation
      TurnMarker.bindAddress(in: markers)
      do throws(Failure) { success = try await job() } catch { thrown = error }
      marker.end()
    }
    let pin: EscalationPin?
    if let own {
      pin = leave(own)
    } else {
      if reports { report(thrown.map { .failed($0) } ?? .finished, name, place) }
      pin = finish(place)
    }
    if let pin { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }

  /// Takes the turn for a job of which nothing is to be told: it has no name, and is not reported.
  ///
  /// - Returns: The caller's task; `nil` if the line is not free, or there is more to decide, and then nothing has changed.
  @usableFromInline
  func enterUnnamed() -> TaskReference? { word.enter() }

  /// Takes the turn or a place for the calling task, before it can suspend.
  @usableFromInline
  func arrive(named name: String?, waitingAtMost limit: Duration?) -> Ticket {
    if Task.isCancelled { return refuse(.cancelled, name) }
    let task = TaskReference.current
    switch locked({ $0.enter(name: name, task: task) }) {
    case .granted(let place):
      if onEvent != nil { report(.began, name, place) }
      return .granted(place)
    case .busy:
      if let limit, limit <= .zero { return refuse(.late, name) }
      return arriveBusy(name, task, limit)
    case .rejected(let why): return refuse(why, name)
    }
  }

  @inline(never)
  private func arriveBusy(_ name: String?, _ task: TaskReference?, _ limit: Duration?) -> Ticket {
    let waiter = Caller(name: name, priority: Task.currentPriority.rawValue, task: task)
    waiter.isLimited = limit != nil
    let arrival = admit(waiter, isLimited: limit != nil, label: label) { locked { $0.join(waiter) } }
    if let why = receive(arrival, of: waiter) { return .rejected(why) }
    self.limit(waiter, to: limit)
    if reports, limit == nil { watch(waiter) }
    return .waiting(waiter)
  }

  /// Gives a submitted job its place.
  @usableFromInline
  func join(_ job: Submission) -> Arrival { locked { $0.join(job) } }

  @inline(never)
  private func refuse(_ why: JobRejection, _ name: String?) -> Ticket {
    report(.rejected(why), name, nil)
    return .rejected(why)
  }

  /// Ends the turn of ``enterUnnamed()`` and hands it on.
  ///
  /// - Returns: What the holder must still wait for before it returns to its caller; nearly always nothing.
  @usableFromInline
  func leave(_ task: TaskReference) -> EscalationPin? { word.leave(task) ? nil : finishThoroughly(nil) }

  /// Ends a turn that has a place, and hands it on.
  @usableFromInline
  func finish(_ place: Place) -> EscalationPin? {
    switch locked({ $0.finishShortly(place) }) {
    case .free: return nil
    case .handedOn(let ended, let next):
      next?.resume()
      // Not before: the next job need not wait for what is released.
      withExtendedLifetime(ended) {}
      return nil
    case .none: return finishThoroughly(place)
    }
  }

  @inline(never)
  private func finishThoroughly(_ place: Place?) -> EscalationPin? {
    let ending = locked { $0.finish(place ?? $0.turn.place) }
    carryOut(ending.effects)
    return ending.pin
  }
}
