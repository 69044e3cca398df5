/// Where jobs wait for their turn: takes the lock, lets a state decide, unlocks, and carries out what was decided.
///
/// This part is common to the line of one executor (``SerialLine``) and to the lines of keys (`KeyedLine`), which differ in
/// what decides. A decision is a method that begins with *decide*: it takes the lock, and lets the state decide.
@usableFromInline
package class Line: WaitNode, @unchecked Sendable {
  // Safe because what is mutable is behind the lock of the subclass; `@unchecked` is inherited from `WaitNode`.

  @usableFromInline final let name: String?
  @usableFromInline final let type: StaticString
  /// Measures how long jobs wait and run.
  @usableFromInline final var clock: AnyClock { limits.clock }
  @usableFromInline final let limits: TimeLimits
  @usableFromInline final let onEvent: (@Sendable (TaskEvent) -> Void)?
  final let reporter: Reporter
  /// How long a wait may last that may be a deadlock.
  private final let stallPatience: Duration?
  final var stall: StallPatience? { StallPatience(stallPatience, limits: limits) }
  final let registration = WaitRegistration()
  /// `TurnMarker.key`, which would be asked anew each time whether it is there already.
  @usableFromInline final let markers = TurnMarker.key

  @usableFromInline
  init(
    name: String?, type: StaticString, clock: AnyClock, limits: WatchLimits, onEvent: (@Sendable (TaskEvent) -> Void)?
  ) {
    reporter = Reporter(clock: clock, limit: limits.turn, onEvent: onEvent)
    stallPatience = limits.stall
    self.name = name
    self.type = type
    self.limits = TimeLimits(clock: clock)
    self.onEvent = onEvent
    super.init(generation: .take())
  }

  deinit { TurnGeneration.release(generation) }

  package final override var job: String? { job(of: self) }

  @usableFromInline package override var label: String {
    name ?? WaitNode.shortID("\(type)", of: ObjectIdentifier(self))
  }

  // MARK: Decisions

  /// Whether the waiter waits; see ``Waiter/park(_:)``.
  @usableFromInline
  package func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool { preconditionFailure("abstract") }
  func decideBegin(_ waiter: Waiter) -> Beginning { preconditionFailure("abstract") }
  func decideFinish(_ waiter: Waiter) -> Ending { preconditionFailure("abstract") }

  /// Ends the turn of the waiter and hands it on.
  ///
  /// - Returns: What the holder must still wait for before it returns to its caller; nearly always nothing.
  @usableFromInline
  package func finish(_ waiter: Waiter) -> EscalationPin? {
    let ending = decideFinish(waiter)
    carryOut(ending.effects)
    return ending.pin
  }

  /// Ends the job's turn and returns the next job, if that needs no effects and goes on in the same task; else changes nothing.
  func decideNext(after job: Submission) -> Submission? { nil }

  /// Ends the turn of a job that had no task of its own; `next` is the job that goes on in the same task, and has begun.
  func decideFinish(_ job: Submission, mayGoOn: Bool) -> (effects: Effects, next: Submission?) {
    preconditionFailure("abstract")
  }
  func decideLeave(_ waiter: Waiter, _ why: JobRejection) -> Departure { preconditionFailure("abstract") }
  /// Cancels a submitted job; also returns its task.
  func decideCancel(_ job: Waiter) -> (departure: Departure, task: Task<Void, Never>?) {
    preconditionFailure("abstract")
  }
  func decideTold(_ waiters: [Waiter]) -> Effects { preconditionFailure("abstract") }
  func decideEscalation(_ job: Waiter, to priority: UInt8) -> Few<Escalation> { preconditionFailure("abstract") }
  func decideAttach(_ task: Task<Void, Never>, to job: Waiter) -> Attachment { preconditionFailure("abstract") }
  @usableFromInline
  func decideDrain(_ waiter: Waiter) -> Arrival { preconditionFailure("abstract") }
  @usableFromInline
  func makeDrainer() -> Waiter? { preconditionFailure("abstract") }
  /// A caller of `pauseAndWait` is about to come.
  func prepareForPause() {}
  /// A caller of `drain` or `pauseAndWait` waits: lets go on what is held back, and that it waits for.
  func makeWay(forDrainer drainer: Waiter) {}
  /// A task awaits the end of the job, and has turns; returns whether one of them is of this line.
  func isAwaited(_ job: Waiter) -> Bool { false }
  /// That task has the result, or has left.
  func isAwaitedNoMore(_ job: Waiter) {}
  /// Makes a caller of `pauseAndWait`.
  func makePauser() -> Waiter { preconditionFailure("abstract") }
  /// Rejects every job that has not begun, and cancels those that run in tasks of their own, or all that run.
  func decideWithdrawal(cancelsCallers: Bool) -> Withdrawal { preconditionFailure("abstract") }
  func close() { preconditionFailure("abstract") }
  /// The clock was read for a waiter that has joined; returns how many stood ahead of it, and whether it is a draft.
  func decideWaitStart(of waiter: Waiter, at start: WaitStart) -> (ahead: Int, isDraft: Bool) {
    preconditionFailure("abstract")
  }
  /// The turns that go on, and what waits.
  func collect() -> [Holding] { preconditionFailure("abstract") }
  /// How many wait behind the turns at these places.
  func decideWaiting(behind places: Set<Place>) -> [Place: Int] { preconditionFailure("abstract") }
  /// Which turns must end before the waiter goes on.
  @usableFromInline
  package func blockers(of waiter: Waiter) -> Blockers { preconditionFailure("abstract") }
  /// Which turns must end before the submitted job has ended.
  func blockers(ofEndOf job: Waiter) -> Blockers { preconditionFailure("abstract") }
  /// Where the waiter meets a turn that is in its way.
  @usableFromInline
  package func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting { Meeting() }
  /// What the waiter waits for, as a test sees it that watches.
  @usableFromInline
  package func stake(of waiter: Waiter) -> Stake? {
    Stake(of: self, label: label, mode: waiter.isDrainer ? .drain : .alone)
  }
  /// The name of the job that has this turn.
  func job(of turn: WaitNode) -> String? { preconditionFailure("abstract") }
  /// One more waits: resumes the observers that have seen enough, and rejects the drains that would now wait for themselves.
  func hasCome(_ waiter: Waiter) { preconditionFailure("abstract") }
  /// Reads what is behind the lock.
  @usableFromInline
  func read<Result: Sendable>(_ body: () -> Result) -> Result { preconditionFailure("abstract") }

  // MARK: Names

  @usableFromInline var drainLabel: String { label }

  /// The keys that events say the job touches.
  func keys(of waiter: Waiter) -> (any KeyNames)? { nil }
  /// What deadlocks call what the job waits for.
  func label(of waiter: Waiter) -> String { label }
}

/// What is to be done with the task that was made for a job.
struct Attachment: Sendable {
  let isCancelled: Bool
  let raisedTo: UInt8
  /// What was decided while the task was being made takes effect now.
  let suspension: Suspension?
}

// MARK: - Carrying out

extension Line {
  @usableFromInline
  package final func carryOut(_ effects: Effects) {
    escalate(effects.escalations)
    effects.resumed.resumeAll()
    effects.started.forEach { start($0) }
    effects.cancelled.forEach { $0.cancel() }
    effects.cancelledCallers.forEach { $0.cancel() }
  }

  @usableFromInline
  package final func escalate(_ escalations: Few<Escalation>) {
    escalations.forEach { escalation in
      switch escalation.target {
      case .caller(let pin): pin.escalate(to: escalation.priority)
      case .job(let job):
        // Its task is looked up now: it may have been found one since.
        read { job.escalate(to: escalation.priority) }?.escalate(to: escalation.priority)
      }
    }
  }

  /// Reports the rejected jobs and settles them, and only then lets callers of `drain` go on.
  final func tell(_ waiters: [Waiter], _ why: JobRejection) {
    for waiter in waiters {
      if reports {
        for (kind, caller, place) in waiter.endings(why) { report(kind, of: waiter, caller.name, place, by: caller) }
      }
      waiter.settle(rejected: why)
    }
    carryOut(decideTold(waiters))
  }

  final func carryOut(_ withdrawal: Withdrawal) {
    tell(withdrawal.rejected, .withdrawn)
    carryOut(withdrawal.effects)
  }

  /// Pauses the line, and returns when nothing runs; returns why the caller did not wait for that.
  nonisolated(nonsending) final func pauseAndWait() async -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    prepareForPause()
    return await drain(makePauser(), label: drainLabel)
  }

  final func withdrawAll() { carryOut(decideWithdrawal(cancelsCallers: false)) }

  /// Closes the line, and returns when nothing waits or runs; see ``DrainRoom/shutDown(within:force:)``.
  ///
  /// - Parameters:
  ///   - limit: How long it may take.
  ///   - withdraw: Called when the limit has passed, with what withdraws the jobs.
  /// - Returns: Whether all ended by itself.
  nonisolated(nonsending) final func shutDown(
    within limit: Duration, withdrawing withdraw: (() -> Void) -> Void = { $0() }
  ) async -> Bool {
    close()
    return await shutDown(within: limit) { withdraw { carryOut(decideWithdrawal(cancelsCallers: true)) } }
  }
}

// MARK: - Waiting

extension Line: DrainRoom {
  @usableFromInline
  package final func leave(_ waiter: Waiter, _ why: JobRejection) {
    if case .left(let effects) = decideLeave(waiter, why) { carryOut(effects) }
  }

  /// Carries out what was decided about a job that has arrived, and reports it; returns why it was rejected, if it was.
  @discardableResult
  @usableFromInline
  package final func receive(_ arrival: Arrival, of waiter: Waiter) -> JobRejection? {
    switch arrival {
    case .granted: return nil
    case .waiting(let escalations):
      if !escalations.isEmpty { escalate(escalations) }
      beginWait(waiter, reportedAs: waiter.name)
      hasCome(waiter)
      return nil
    case .rejected(let why):
      report(.rejected(why), of: waiter, waiter.name, nil)
      waiter.settle(rejected: why)
      return why
    }
  }

  /// Waits for the waiter's turn, as a caller that leaves when its task is cancelled.
  ///
  /// When this returns its job runs, unless it was rejected (``Waiter/rejection``).
  @usableFromInline
  final func waitForTurn(isolation: isolated (any Actor)?, _ waiter: Waiter) async {
    await wait(waiter, again: { self.mustPark(waiter) })
    // Also a caller that was put back and left may just be raised by another that saw it hold the turn.
    if waiter.isRejected, let pin = read({ waiter.pin }) { await pin.released() }
  }

  /// Waits for the turn of a submitted job, in its task, which can only be cancelled through its handle.
  ///
  /// Inlined, or each waiting task would have the frame of one more async function.
  @inlinable @inline(__always)
  nonisolated(nonsending) final func waitForTurn(ofSubmitted waiter: Waiter) async {
    repeat { await Suspension.park { self.park(waiter, $0) } } while mustPark(waiter)
  }

  /// The waiter goes on: its job runs, or it learns that it was rejected; returns whether it has to wait again instead.
  ///
  /// Not inlined, or all that is needed for events would lie in the frame of a task that waits.
  @usableFromInline @inline(never)
  final func mustPark(_ waiter: Waiter) -> Bool {
    switch begin(waiter) {
    case .run, .gone: return false
    case .waitAgain: return true
    case .revoked:
      _ = finish(waiter)
      return false
    }
  }

  final func begin(_ waiter: Waiter) -> Beginning {
    let beginning = decideBegin(waiter)
    switch beginning {
    case .run: report(.began, waiter)
    case .waitAgain: hasCome(waiter)
    case .gone(let why), .revoked(let why):
      // A caller reports that it left, and not the thread that cancels it, which holds a lock of its task. Every other
      // rejection is reported by its cause.
      if !waiter.isSubmitted, why.isOwn { report(.rejected(why), waiter) }
    }
    return beginning
  }

  @usableFromInline
  final func rejection(of drainer: Waiter) -> JobRejection? { read { drainer.rejection } }

  @usableFromInline
  final func startWait(_ drainer: Waiter) {
    _ = decideWaitStart(of: drainer, at: WaitStart(at: clock.now))
    makeWay(forDrainer: drainer)
  }

  /// Reports a wait that may be a deadlock, if the waiter's task was started in the turn that it waits for.
  @usableFromInline
  package final func watch(_ waiter: Waiter) {
    let timer = StallWatch.begin(stall, blockers: { blockers(of: waiter) }) { [weak self, weak waiter] in
      guard let self, let waiter else { return false }
      return read { waiter.isWaiting }
    } name: {
      $0.job
    } tell: {
      {
        [onEvent, clock, executor = label, keys = keys(of: waiter), name = waiter.name, place = waiter.place] stalled in
        onEvent?(
          TaskEvent(
            kind: stalled, executor: executor, keyNames: keys, job: name, place: place,
            instant: clock.instant(clock.now)))
      }
    }
    if let timer { waiter.begin(timer) }
  }
}

// MARK: - Submitted jobs

extension Line {
  /// Hands the line the task that was made for a waiter, so that it can be raised and cancelled, as it may be already.
  @usableFromInline
  package final func attach(_ task: Task<Void, Never>, to job: Waiter) {
    let attachment = decideAttach(task, to: job)
    if attachment.isCancelled { task.cancel() }
    if attachment.raisedTo > job.priority { task.escalate(to: attachment.raisedTo) }
    attachment.suspension?.resume()
  }

  /// Cancels a submitted job; when this returns, its handles are settled if it will not run.
  final func cancel(_ job: Waiter) {
    let (departure, task) = decideCancel(job)
    switch departure {
    case .left(let effects):
      tell([job], .cancelled)
      task?.cancel()
      carryOut(effects)
    case .revoked:
      tell([job], .cancelled)
      task?.cancel()
    case .running: task?.cancel()
    case .gone: break
    }
  }

  final func isCancelled(_ job: Waiter) -> Bool { read { job.isCancelled } }

  /// A task of this priority awaits the submitted job: neither it nor what is ahead of it should run at a lower one.
  final func escalate(_ job: Waiter, to priority: UInt8) { escalate(decideEscalation(job, to: priority)) }
}
