/// A keyed line: jobs with a common key run in the order of their places, all others at the same time.
///
/// Contains what must be specialized in the client: the path of a caller with free keys, and key lookup.
@usableFromInline
package final class KeyedLine<Key: Hashable & Sendable>: Line, @unchecked Sendable {
  // Safe because the table is accessed only under the lock of the line.

  @usableFromInline package let keys: KeyTable<Key>

  @_alwaysEmitIntoClient
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
    return arrive(job, waitingAtMost: limit, keys: touched) { keys.prepare($0, touching: touched, &$1) }
  }

  @_alwaysEmitIntoClient
  package func join(_ job: Job, touching touched: Touched<Key>, kind: Job.Kind = []) -> Arrival {
    job.kind = kind
    return join(job) { keys.prepare(job, touching: touched, &$0) }
  }
}

// MARK: - One call

extension KeyedLine {
  @_alwaysEmitIntoClient @inline(__always)
  package func perform<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, touching touched: Touched<Key>, kind: Job.Kind = [],
    name: String?, waitingAtMost limit: Duration? = nil, rejectedBy reject: (JobRejection) throws(Failure) -> Never,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let place = enter(touching: touched, named: name)
    return try await perform(
      isolation: isolation, place ?? 0,
      place == nil ? arrive(touching: touched, kind: kind, named: name, waitingAtMost: limit) : nil,
      isLimited: limit != nil, finish: { finish(touching: touched, $0, $1, name, $2) }, rejectedBy: reject, job)
  }

  /// Releases no key under the lock: the caller still retains them.
  @_alwaysEmitIntoClient @inline(never)
  func finish(
    touching touched: Touched<Key>, _ caller: CallerJob?, _ thrown: (any Error)?, _ name: String?, _ place: Place
  ) -> EscalationPin? {
    if reports { reportEnd(of: caller, thrown, keys: touched, name, place) }
    // Not `if let`, which would retain it.
    if caller != nil { return end(caller.unsafelyUnwrapped) }
    let job = atTheDoor { state -> Job? in
      let job = state.leave()
      if job == nil { keys.lightKeys = .everyKey }
      return job
    }
    return job.flatMap { end($0) }
  }
}
