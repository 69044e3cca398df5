// One call: a caller's own task runs the job.

extension Line {
  @usableFromInline
  package enum Ticket: Sendable {
    /// The line was free: the turn is the caller's.
    case light(Place)
    /// The key was free: the turn is the caller's.
    case key(JobTurn, isLimited: Bool)
    /// The caller has its turn, or waits for it.
    case job(CallerJob, mustWait: Bool)
    case rejected(JobRejection)
  }

  /// Runs one whole job in the calling task and the caller's isolation, if its turn comes in time.
  ///
  /// It is generic, so it must be specialised in the client: on an unspecialised path it costs three times as much. Only what
  /// depends on the job's types is here; all else is a call into compiled code.
  @inlinable @inline(__always)
  final func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, name: String?, waitingAtMost limit: Duration? = nil,
    rejectedAs failure: (JobRejection) -> Failure, _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let own = name == nil ? enterUnnamed() : nil
    var place: Place = 0
    var caller: CallerJob?
    if own == nil {
      switch arrive(named: name, waitingAtMost: limit) {
      case .light(let granted): place = granted
      case .job(let job, let mustWait):
        if mustWait {
          await waitForTurn(isolation: isolation, job)
          if let why = job.rejection { throw failure(why) }
        }
        place = job.place
        caller = job
      case .rejected(let why): throw failure(why)
      case .key: preconditionFailure("a whole job has no key")
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
    if let pin = end(own, caller, reports ? thrown.map { .failed($0) } ?? .finished : nil, name, place) {
      await pin.released()
    }

    if let thrown { throw thrown }
    return success.take()!
  }

  /// Ends the turn of a whole job, and reports it.
  ///
  /// - Returns: What the holder must still wait for before it returns to its caller; nearly always nothing.
  @inlinable @inline(__always)
  final func end(
    _ own: TaskReference?, _ caller: CallerJob?, _ end: @autoclosure () -> TaskEvent.Kind?, _ name: String?,
    _ place: Place
  ) -> EscalationPin? {
    if let own { return leaveUnnamed(own) ? nil : finishLight() }
    if let kind = end() { report(kind, name, place) }
    return caller.map { finish($0) } ?? finishLight()
  }

  /// Takes the turn or a place for the calling task, before it can suspend.
  @usableFromInline
  final func arrive(named name: String?, waitingAtMost limit: Duration?) -> Ticket {
    if Task.isCancelled { return refuse(.cancelled, keys: nil, name) }
    // Without a name, the word would have been taken.
    if name != nil || !hasWord, let place = enter(named: name) {
      if reports { report(.began, name, place) }
      return .light(place)
    }
    let job = CallerJob(name: name, priority: Task.currentPriority.rawValue, task: TaskReference.current)
    // In a line without keys, what is called in a turn waits for that turn.
    if type != .serialTaskExecutor, hasOwnTurn { job.kind = .part }
    return arrive(job, limit, keys: nil) {
      let start = likelyStart
      return locked { state in
        state.settle()
        return state.joinAndBegin(job, at: start)
      }
    }
  }

  @usableFromInline
  final func enter(named name: String?) -> Place? {
    let task = TaskReference.current
    return locked { $0.isFree ? $0.enter(name: name, task: task) : nil }
  }

  /// Takes a place for the job of the calling task with `join`, or its turn, unless it would wait for itself.
  @usableFromInline
  final func arrive(_ job: CallerJob, _ limit: Duration?, keys: (any KeyNames)?, _ join: () -> Arrival) -> Ticket {
    job.isLimited = limit != nil
    job.kind = job.kind.limited(to: limit)
    let arrival = admit(job, isLimited: limit != nil, label: label(keys?.names ?? []), taking: join)
    // It has no place, from which `receive` would take its keys.
    if case .rejected(let why) = arrival, case .deadlock = why { return refuse(why, keys: keys, job.name) }
    if let why = receive(arrival, of: job) { return .rejected(why) }
    if case .granted = arrival {
      if !job.kind.isDisjoint(with: [.nested, .first]) { raiseNested(job) }
      report(.began, job)
      return .job(job, mustWait: false)
    }
    self.limit(job, to: limit)
    if reports, limit == nil { watch(job) }
    return .job(job, mustWait: true)
  }

  @usableFromInline @inline(never)
  final func refuse(_ why: JobRejection, keys: (any KeyNames)?, _ name: String?) -> Ticket {
    report(.rejected(why), keys: keys, name, nil)
    return .rejected(why)
  }

  /// Raises a caller that has its turn at once to the priority of the jobs that it has gone before.
  private final func raiseNested(_ caller: Job) {
    let escalation = locked { _ in caller.raisedTo > caller.priority ? caller.escalateTurn(to: caller.raisedTo) : nil }
    if let escalation { escalate(.one(escalation)) }
  }
}

extension LineState {
  /// Gives the job of a caller its places; if it has its turn at once, it begins, and is not to be withdrawn any more.
  @usableFromInline
  package mutating func joinAndBegin(_ job: CallerJob, at start: WaitStart = WaitStart()) -> Arrival {
    let arrival = join(job, at: start)
    if case .granted = arrival { job.state = .running }
    return arrival
  }
}

extension Line {
  /// Gives a whole job that was submitted its place.
  @usableFromInline
  final func join(_ job: Job) -> Arrival {
    let start = likelyStart
    return locked { state in
      state.settle()
      return state.join(job, at: start)
    }
  }
}
