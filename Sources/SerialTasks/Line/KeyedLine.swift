/// A line of keys: jobs that touch a common key run in the order of their places, and all others at the same time.
///
/// What a caller does that finds what it wants free, and what looks keys up, is here, and has to be specialised in the client.
@usableFromInline
package final class KeyedLine<Key: Hashable & Sendable>: Line, @unchecked Sendable {
  // Safe because the table is reached only under the lock of the line.

  /// Reached only under the lock of the line.
  @usableFromInline package let keys: KeyTable<Key>

  @inlinable
  package init(
    name: String?, type: WaitReport.Executor.Kind, reportsKeys: Bool = false, capacity: Int? = nil,
    capacityPerKey: Int? = nil,
    slots: Int? = nil, kind: Job.Kind = [], clock: some Clock<Duration> = ContinuousClock(),
    limits: WatchLimits = WatchLimits(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    let keys = KeyTable<Key>()
    self.keys = keys
    super.init(
      name: name, type: type, table: keys, reportsKeys: reportsKeys, capacity: capacity, capacityPerKey: capacityPerKey,
      slots: slots, kind: kind, clock: AnyClock(clock), limits: limits, onEvent: onEvent)
  }

  /// Returns the queues of these keys, as far as a job touches them; under the lock.
  @inlinable
  func existingQueues(_ touched: Touched<Key>) -> [KeyQueue] {
    switch touched {
    case .everyKey: []
    case .one(let key): keys.queues[key].map { [$0] } ?? []
    case .many(let touched): touched.compactMap { keys.queues[$0] }
    }
  }

  /// Returns whether the turn is that of a job that touches the key.
  ///
  /// To be asked by code inside the turn, which does not end meanwhile.
  @usableFromInline
  func touches(_ turn: WaitNode, _ key: StableKey<Key>) -> Bool {
    guard let job = Line.holder(of: turn) else { return false }
    if job.touchesEveryKey { return true }
    guard let queue = locked({ _ in keys.queues[key] }) else { return false }
    var touches = false
    job.forEachPlace { if $1 === queue { touches = true } }
    return touches
  }
}

// MARK: - Arriving

extension KeyedLine {
  /// Takes the line as a whole, if it is free and the caller's task is not cancelled.
  ///
  /// Not for a job that touches no key: others that touch every key run beside it, and have the turn of the line itself.
  ///
  /// Not inlined, as all that takes a lock for an async function; see ``Lock``.
  @inlinable @inline(never)
  func enter(touching touched: Touched<Key>, named name: String?) -> Place? {
    // Whether the task is shielded from its cancellation is asked later.
    guard !touched.touchesNothing, let task = TaskReference.current, !task.isCancelled else { return nil }
    let place = locked { state -> Place? in
      guard state.isFree else { return nil }
      keys.lightKeys = touched
      return state.enter(name: name, task: task)
    }
    if let place, reports { report(.began, keys: touched, name, place) }
    return place
  }

  /// Ends the turn of a caller that found the line free.
  ///
  /// The keys are the caller's still, so none ends under the lock.
  @inlinable @inline(never)
  func finish(touching touched: Touched<Key>) -> EscalationPin? {
    let job = locked { state -> Job? in
      let job = state.leave()
      if job == nil { keys.lightKeys = .everyKey }
      return job
    }
    return job.flatMap { finish($0) }
  }

  /// Takes a key that is free beside others, without a place.
  @inlinable
  func enterKey(_ touched: Touched<Key>, kind: Job.Kind, named name: String?) -> JobTurn? {
    guard kind.isEmpty, case .one(let key) = touched else { return nil }
    let task = TaskReference.current
    let turn = locked { keys.enter(key, &$0, named: name, task: task) }
    if reports, let turn { report(.began, keys: touched, name, place(of: turn)) }
    return turn
  }

  @usableFromInline
  func place(of turn: JobTurn) -> Place? { locked { _ in turn.light?.place ?? turn.owner?.place } }

  /// Ends the turn of a caller that found its key free.
  @inlinable @inline(never)
  func finishKey(_ touched: Touched<Key>, _ turn: JobTurn) -> EscalationPin? {
    guard case .one(let key) = touched else { return nil }
    return locked { keys.leave(key, turn, &$0) }.flatMap { finish($0) }
  }

  /// Returns what a call is that may be made in a turn of this line.
  @usableFromInline
  func kind(_ kind: Job.Kind) -> Job.Kind {
    guard HeldTurn.innermost != nil, let own = HeldTurn.node(where: { $0.resource === self }) else { return kind }
    // A turn that touches every key is in the way of all others, also of those inside it.
    guard Line.holder(of: own)?.touchesEveryKey == false else { return kind.union(.part) }
    // It runs in the slot of that turn. A job that waits for every key waits for that turn if that touches one.
    let touchesKey = HeldTurn.node { $0.resource === self && Line.holder(of: $0)?.queue?.label != nil } != nil
    return kind.subtracting(.slot).union(touchesKey || kind.contains(.first) ? [.part, .nested] : .part)
  }

  /// Takes the turn or a place for the calling task, before it can suspend.
  @inlinable @inline(never)
  func arrive(
    touching touched: Touched<Key>, kind: Job.Kind, named name: String?, waitingAtMost limit: Duration?
  ) -> Ticket {
    if Task.isCancelled { return refuse(.cancelled, keys: touched, name) }
    if let turn = enterKey(touched, kind: kind, named: name) { return .key(turn, isLimited: limit != nil) }
    let job = CallerJob(name: name, priority: Task.currentPriority.rawValue, task: TaskReference.current)
    job.kind = self.kind(kind)
    // What would be in the way of a call that holds a turn is looked at before the call has a place.
    let isPrepared = HeldTurn.innermost != nil
    if isPrepared {
      locked { state in
        keys.settle(touched, &state)
        keys.prepare(job, touching: touched, &state)
      }
    }
    let ticket = arrive(job, limit, keys: touched) {
      let start = likelyStart
      return locked { state in
        keys.settle(touched, &state)
        if !isPrepared { keys.prepare(job, touching: touched, &state) }
        return state.joinAndBegin(job, at: start)
      }
    }
    if isPrepared, case .rejected(.deadlock) = ticket, job.place == 0 { locked { $0.abandon(job) } }
    return ticket
  }

  /// Gives a submitted job its places, in one step.
  @inlinable
  func join(_ job: Job, touching touched: Touched<Key>, kind: Job.Kind = []) -> Arrival {
    job.kind = kind
    let start = likelyStart
    return locked { state in
      keys.settle(touched, &state)
      keys.prepare(job, touching: touched, &state)
      return state.join(job, at: start)
    }
  }
}

// MARK: - One call

extension KeyedLine {
  /// Runs one job in the calling task and the caller's isolation, when nothing is in its way any more, if that is in time.
  ///
  /// Inlined, and with its callers into theirs: that saves the frame of an async function. What is needed to wait is in
  /// ``performBusy``.
  @inlinable @inline(__always)
  func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, touching touched: Touched<Key>, kind: Job.Kind = [],
    name: String?, waitingAtMost limit: Duration? = nil, rejectedAs failure: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    guard let place = enter(touching: touched, named: name) else {
      let ticket = arrive(touching: touched, kind: kind, named: name, waitingAtMost: limit)
      return try await performBusy(
        isolation: isolation, ticket, touching: touched, name: name, rejectedAs: failure, job)
    }
    // As in `Line.perform`.
    var success: Success?
    var thrown: Failure?
    let marker = limit == nil ? marker(in: markers) : limitedMarker(in: markers)
    await markers.withValue(marker) {
      _ = isolation
      TurnMarker.bindAddress(in: markers)
      do throws(Failure) { success = try await job() } catch { thrown = error }
      marker.end()
    }
    if reports { report(thrown.map { .failed($0) } ?? .finished, keys: touched, name, place) }
    if let pin = finish(touching: touched) { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }

  /// Runs the job of a caller that did not find the line free, when nothing is in its way any more.
  @inlinable @inline(never)
  func performBusy<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)?, _ ticket: Ticket, touching touched: Touched<Key>, name: String?,
    rejectedAs failure: (JobRejection) -> Failure, _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    var own: JobTurn?
    var caller: CallerJob?
    let marker: TurnMarker
    switch ticket {
    case .key(let turn, let isLimited):
      own = turn
      marker = isLimited ? TurnMarker(limited: turn) : TurnMarker(node: turn)
    case .job(let job, let mustWait):
      if mustWait {
        await waitForTurn(isolation: isolation, job)
        if let why = job.rejection { throw failure(why) }
      }
      caller = job
      marker = TurnMarker(node: job.turn!)
    case .rejected(let why): throw failure(why)
    case .light: preconditionFailure("a caller that found the line free is not busy")
    }

    var success: Success?
    var thrown: Failure?
    await TurnMarker.key.withValue(marker) {
      _ = isolation
      TurnMarker.bindAddress()
      do throws(Failure) { success = try await job() } catch { thrown = error }
      marker.end()
    }
    if reports {
      report(
        thrown.map { .failed($0) } ?? .finished, keys: touched, name,
        own.map { place(of: $0) } ?? caller?.place)
    }
    if let pin = own.map({ finishKey(touched, $0) }) ?? finish(caller!) { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }
}
