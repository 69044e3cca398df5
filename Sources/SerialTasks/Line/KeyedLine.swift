/// A keyed line: jobs with a common key run in the order of their places, all others at the same time.
///
/// Contains what must be specialized in the client: the path of a caller with free keys, and key lookup.
@usableFromInline
package final class KeyedLine<Key: Hashable & Sendable>: Line, @unchecked Sendable {
  // Safe because the table is accessed only under the lock of the line.

  @usableFromInline package let keys: KeyTable<Key>

  @inlinable
  package init(
    name: String?, type: String, reportsKeys: Bool = false, capacity: Int? = nil,
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
}

// MARK: - Arriving

extension KeyedLine {
  @usableFromInline
  func kind(_ kind: Job.Kind) -> Job.Kind { hasOwnTurn ? kind.subtracting(.slot).union(.nested) : kind }

  /// Not inlined: see ``Lock``.
  @_alwaysEmitIntoClient @inline(never)
  func enter(touching touched: Touched<Key>, named name: String?) -> Place? {
    // A cancellation shield is checked later.
    guard let task = TaskReference.current, !task.isCancelled else { return nil }
    let place = atTheDoor { state -> Place? in
      guard state.isFree else { return nil }
      keys.lightKeys = touched
      return state.enter(name: name, task: task)
    }
    if let place, reports { report(.began, keys: touched, name, place) }
    return place
  }

  @_alwaysEmitIntoClient @inline(never)
  package func arrive(
    touching touched: Touched<Key>, kind: Job.Kind, named name: String?, waitingAtMost limit: Duration?
  ) -> Ticket {
    let task = TaskReference.running
    if task.hasToLeave { return refuse(.cancelled, keys: touched, name) }
    let job = CallerJob(name: name, kind: kind, waitingAtMost: limit, task: task)
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
    effects.carryOut(on: self)
    if let why = arrival.rejection { return refuse(why, keys: touched, name) }
    return .job(job, mustWait: receive(arrival, of: job, waitingAtMost: limit))
  }

  @_alwaysEmitIntoClient
  func join(_ job: CallerJob, touching touched: Touched<Key>, _ effects: inout Effects) -> Arrival {
    locked { state in
      keys.prepare(job, touching: touched, &state)
      return state.arriveAndBegin(job, &effects)
    }
  }

  @_alwaysEmitIntoClient
  package func join(_ job: Job, touching touched: Touched<Key>, kind: Job.Kind = []) -> Arrival {
    job.kind = kind
    return join(job) { keys.prepare(job, touching: touched, &$0) }
  }

  /// Releases no key under the lock: the caller still retains them.
  @_alwaysEmitIntoClient @inline(never)
  func end(touching touched: Touched<Key>) -> EscalationPin? {
    let job = atTheDoor { state -> Job? in
      let job = state.leave()
      if job == nil { keys.lightKeys = .everyKey }
      return job
    }
    return job.flatMap { end($0) }
  }
}

// MARK: - One call

extension KeyedLine {
  /// Inlined, and its callers into theirs, which saves the frame of an async function.
  @_alwaysEmitIntoClient @inline(__always)
  package func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, touching touched: Touched<Key>, kind: Job.Kind = [],
    name: String?, waitingAtMost limit: Duration? = nil, rejectedAs failure: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    guard let place = enter(touching: touched, named: name) else {
      return try await performPlaced(
        isolation: isolation, touching: touched, kind: kind, name: name, waitingAtMost: limit, rejectedAs: failure, job)
    }
    // See `Line.perform`.
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

  @_alwaysEmitIntoClient @inline(__always)
  package func performPlaced<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)?, touching touched: Touched<Key>, kind: Job.Kind, name: String?,
    waitingAtMost limit: Duration?, rejectedAs failure: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    switch arrive(touching: touched, kind: kind, named: name, waitingAtMost: limit) {
    case .job(let caller, let mustWait):
      if mustWait {
        await waitForTurn(isolation: isolation, caller)
        if let why = caller.rejection { throw failure(why) }
      }
      return try await performBusy(isolation: isolation, caller, job)
    case .rejected(let why): throw failure(why)
    case .light: preconditionFailure("a caller that has a place is not without one")
    }
  }

  /// Not inlined: a caller does not pay for its frame while it waits.
  @_alwaysEmitIntoClient @inline(never)
  package func performBusy<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)?, _ caller: CallerJob,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    var success: Success?
    var thrown: Failure?
    let marker = TurnMarker(node: caller.turn!)
    await TurnMarker.key.withValue(marker) {
      _ = isolation
      TurnMarker.bindAddress()
      do throws(Failure) { success = try await job() } catch { thrown = error }
      marker.end()
    }
    if reports { reportEnd(of: caller, thrown.map { .failed($0) } ?? .finished) }
    if let pin = end(caller) { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }
}
