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
    turnLimit: Duration? = nil, onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    let keys = KeyTable<Key>()
    self.keys = keys
    super.init(
      name: name, type: type, table: keys, reportsKeys: reportsKeys, capacity: capacity, capacityPerKey: capacityPerKey,
      slots: slots, kind: kind, clock: AnyClock(clock), turnLimit: turnLimit, onEvent: onEvent)
  }

  /// Returns the queues of these keys, as far as a job touches them; under the lock.
  @_alwaysEmitIntoClient
  func existingQueues(_ touched: Touched<Key>) -> [JobQueue] {
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
    job.forEachClaim { if $0.queue === queue { touches = true } }
    return touches
  }
}

// MARK: - Arriving

extension KeyedLine {
  /// Returns what a call is that is made in turns, of this line perhaps.
  @usableFromInline
  func kind(_ kind: Job.Kind) -> Job.Kind { hasOwnTurn ? kind.subtracting(.slot).union(.nested) : kind }

  /// Takes the line as a whole, if it is free and the caller's task is not cancelled.
  ///
  /// Not inlined, as all that takes a lock for an async function; see ``Lock``.
  @_alwaysEmitIntoClient @inline(never)
  func enter(touching touched: Touched<Key>, named name: String?) -> Place? {
    // Whether the task is shielded from its cancellation is asked later.
    guard let task = TaskReference.current, !task.isCancelled else { return nil }
    let place = locked { state -> Place? in
      guard state.isFree else { return nil }
      keys.lightKeys = touched
      return state.enter(name: name, task: task)
    }
    if let place, reports { report(.began, keys: touched, name, place) }
    return place
  }

  /// Takes the turn or a place for the calling task, before it can suspend.
  @_alwaysEmitIntoClient @inline(never)
  package func arrive(
    touching touched: Touched<Key>, kind: Job.Kind, named name: String?, waitingAtMost limit: Duration?
  ) -> Ticket {
    if Task.isCancelled { return refuse(.cancelled, keys: touched, name) }
    let job = CallerJob(name: name, kind: kind, waitingAtMost: limit)
    var effects = Effects()
    let arrival: Arrival
    if HeldTurn.innermost == nil {
      arrival = join(job, touching: touched, &effects)
    } else {
      job.kind = self.kind(job.kind)
      arrival = admit(job, isLimited: limit != nil, overtakes: job.isNested, label: label(touched.names)) {
        join(job, touching: touched, &effects)
      }
    }
    return receive(arrival, of: job, waitingAtMost: limit, effects) ?? refuse(arrival.rejection!, keys: touched, name)
  }

  /// Gives the job of a caller its places, in one step.
  @_alwaysEmitIntoClient
  func join(_ job: CallerJob, touching touched: Touched<Key>, _ effects: inout Effects) -> Arrival {
    locked { state in
      state.settle()
      keys.prepare(job, touching: touched, &state)
      return state.arriveAndBegin(job, &effects)
    }
  }

  /// Gives a submitted job its places.
  @_alwaysEmitIntoClient
  package func join(_ job: Job, touching touched: Touched<Key>, kind: Job.Kind = []) -> Arrival {
    job.kind = kind
    return join(job) { keys.prepare(job, touching: touched, &$0) }
  }

  /// Ends the turn of a caller that found the line free.
  ///
  /// The keys are the caller's still, so none ends under the lock.
  @_alwaysEmitIntoClient @inline(never)
  func end(touching touched: Touched<Key>) -> EscalationPin? {
    let job = locked { state -> Job? in
      let job = state.leave()
      if job == nil { keys.lightKeys = .everyKey }
      return job
    }
    return job.flatMap { end($0) }
  }
}

// MARK: - One call

extension KeyedLine {
  /// Runs one job in the calling task and the caller's isolation, when nothing is in its way any more, if that is in time.
  ///
  /// Inlined, and with its callers into theirs: that saves the frame of an async function. What is needed to wait is in
  /// ``performBusy``.
  @_alwaysEmitIntoClient @inline(__always)
  package func perform<Success: ~Copyable, Failure: Error>(
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
    if let pin = end(touching: touched) { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }

  /// Runs the job of a caller that did not find the line free, when nothing is in its way any more.
  @_alwaysEmitIntoClient @inline(never)
  package func performBusy<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)?, _ ticket: Ticket, touching touched: Touched<Key>, name: String?,
    rejectedAs failure: (JobRejection) -> Failure, _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let caller: CallerJob
    switch ticket {
    case .job(let job, let mustWait):
      if mustWait {
        await waitForTurn(isolation: isolation, job)
        if let why = job.rejection { throw failure(why) }
      }
      caller = job
    case .rejected(let why): throw failure(why)
    case .light: preconditionFailure("a caller that found the line free is not busy")
    }

    var success: Success?
    var thrown: Failure?
    let marker = TurnMarker(node: caller.turn!)
    await TurnMarker.key.withValue(marker) {
      _ = isolation
      TurnMarker.bindAddress()
      do throws(Failure) { success = try await job() } catch { thrown = error }
      marker.end()
    }
    if reports { report(thrown.map { .failed($0) } ?? .finished, keys: touched, name, caller.place) }
    if let pin = end(caller) { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }
}
