// One call: a caller's own task runs the job.
//
//   free   ── enter ─────────────────────────────────► the job runs ── end ──► nothing, or the next
//   busy   ── arrive: a place ── park ── (granted) ── begin ── the job runs ── end ──► the next is granted its turn
//                                  └── leave: cancelled, late, withdrawn

extension Line {
  @usableFromInline
  package enum Ticket: ~Copyable, Sendable {
    case light(Place)
    case job(CallerJob, mustWait: Bool)
    case rejected(JobRejection)
  }

  @_alwaysEmitIntoClient @inline(__always)
  package final func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, name: String?, waitingAtMost limit: Duration? = nil,
    rejectedBy reject: (JobRejection) throws(Failure) -> Never,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let own = name == nil ? enterUnnamed() : nil
    return try await perform(
      isolation: isolation, 0, own == nil ? arrive(named: name, waitingAtMost: limit) : nil, isLimited: limit != nil,
      finish: { finish(own, $0, $1, name, $2) }, rejectedBy: reject, job)
  }

  /// Runs the job of a caller that has the turn, by the word or with this place, or else has a ticket.
  ///
  /// Specialized in the client, which costs a third of an unspecialized path: only the type-dependent part is here. Inlined, and its
  /// callers into theirs, which saves the frame of an async function. Each closure is called at most once.
  @_alwaysEmitIntoClient @inline(__always)
  final func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)?, _ entered: Place, _ ticket: @autoclosure () -> Ticket?, isLimited: Bool,
    finish: (CallerJob?, (any Error)?, Place) -> EscalationPin?,
    rejectedBy reject: (JobRejection) throws(Failure) -> Never,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    var place = entered
    var caller: CallerJob?
    var why: JobRejection?
    if let ticket = ticket() {
      switch consume ticket {
      case .light(let granted): place = granted
      case .job(let job, let mustWait):
        caller = job
        place = job.place
        if mustWait {
          await wait(isolation: isolation, job)
          why = job.rejection
        }
      case .rejected(let reason): why = reason
      }
    }

    // `withValue` supports neither typed errors nor noncopyable results.
    var success: Success?
    var thrown: Failure?
    var pin: EscalationPin?
    if why == nil {
      let marker = marker(of: caller, isLimited: isLimited)
      await markers.withValue(marker) {
        // Captured, so that the closure has the caller's isolation: otherwise each job would hop to the pool and back.
        _ = isolation
        TurnMarker.bindAddress(in: markers)
        do throws(Failure) { success = try await job() } catch { thrown = error }
        marker.end()
      }
      pin = finish(caller, thrown, place)
    } else {
      pin = caller.flatMap { self.pin(ofRejected: $0) }
    }
    if let pin { await pin.released() }

    if let why { try reject(why) }
    if let thrown { throw thrown }
    return success.take()!
  }

  /// Creates the marker of the line's own turn, or of that of a job with keys, which retains it.
  @usableFromInline
  final func marker(of caller: CallerJob?, isLimited: Bool) -> TurnMarker {
    caller?.turn.map(Unmanaged.passUnretained)?._withUnsafeGuaranteedRef { TurnMarker(node: $0, in: markers) }
      ?? TurnMarker(node: self, in: markers, isLimited: isLimited)
  }

  @usableFromInline
  final func finish(
    _ own: TaskReference?, _ caller: CallerJob?, _ thrown: (any Error)?, _ name: String?, _ place: Place
  ) -> EscalationPin? {
    if let own { return leaveUnnamed(own) ? nil : endLight() }
    if reports { reportEnd(of: caller, thrown, name, place) }
    return caller.map { end($0) } ?? endLight()
  }

  /// Called before the task can suspend.
  @usableFromInline
  final func arrive(named name: String?, waitingAtMost limit: Duration?) -> Ticket {
    let task = TaskReference.running
    if task.hasToLeave { return refuse(.cancelled, keys: nil, name) }
    // Without a name, the caller would have taken the word.
    if name != nil || !hasWord, let place = atTheDoor({ $0.isFree ? $0.enter(name: name, task: task) : nil }) {
      if reports { report(.began, name, place) }
      return .light(place)
    }
    return arrive(CallerJob(name: name, waitingAtMost: limit, task: task), waitingAtMost: limit, keys: nil) { _, _ in }
  }

  /// `prepare` gives the job its keys, under the lock; a `consuming` job would be retained for each closure.
  @usableFromInline
  final func arrive(
    _ job: __owned CallerJob, waitingAtMost limit: Duration?, keys: @autoclosure () -> (any KeyNames)?,
    _ prepare: (Job, inout LineState) -> Void
  ) -> Ticket {
    // A call with keys in a turn of its line is part of that turn; a wait with a limit is in no cycle.
    let held = HeldTurn.innermost
    if held != nil, keys() != nil, HeldTurn.isInside(self) { job.kind = job.kind.subtracting(.slot).union(.nested) }
    let cause = limit == nil ? held : nil
    var effects = Effects()
    let arrival = admit(job, inside: cause, overtakes: job.isNested, label: label(keys()?.names ?? [])) {
      locked { state in
        prepare(job, &state)
        return state.arriveAndBegin(job, &effects)
      }
    }
    effects.carryOut(on: self)
    if let why = arrival.rejection { return refuse(why, keys: keys(), job.name) }
    return .job(job, mustWait: receive(arrival, of: job, waitingAtMost: limit))
  }

  @usableFromInline
  final func receive(_ arrival: Arrival, of job: CallerJob, waitingAtMost limit: Duration?) -> Bool {
    guard arrival.isWait else {
      // To the priority of the jobs that it has overtaken.
      if job.isNested { carryOut { if job.raisedTo > job.priority { $1.escalate(job, to: job.raisedTo) } } }
      if reports { report(.began, job) }
      return false
    }
    if reports { receive(arrival, of: job) } else { tellObservers() }
    if let limit { self.limit(job, to: limit) } else { noteStart(of: job) }
    return true
  }

  @usableFromInline @inline(never)
  final func refuse(_ why: JobRejection, keys: (any KeyNames)?, _ name: String?) -> Ticket {
    report(.rejected(why), keys: keys, name, nil)
    return .rejected(why)
  }
}

extension LineState {
  /// Begins a job that has its turn at once: it can no longer be withdrawn.
  @usableFromInline
  package mutating func arriveAndBegin(_ job: CallerJob, _ effects: inout Effects) -> Arrival {
    let arrival = arrive(job, &effects)
    if case .granted = arrival { job.stage = .running }
    return arrival
  }
}

extension Line {
  @usableFromInline
  package final func join(_ job: Job, _ prepare: (inout LineState) -> Void = { _ in }) -> Arrival {
    job.start = waitStart
    var effects = Effects()
    let arrival = locked { state in
      prepare(&state)
      return state.arrive(job, &effects)
    }
    effects.carryOut(on: self)
    return arrival
  }

  @usableFromInline package final var waitStart: WaitStart { WaitStart(at: clock.now) }
}

extension CallerJob {
  @usableFromInline
  convenience init(name: String?, kind: Job.Kind = [], waitingAtMost limit: Duration?, task: TaskReference) {
    self.init(name: name, priority: task.ownPriority, task: task)
    self.kind = kind.limited(to: limit)
    isLimited = limit != nil
  }
}
