/// A line of keys: jobs that touch a common key run in the order of their places, and all others at the same time.
///
/// What a caller does that finds the line free, and what looks keys up, is here, and has to be specialised in the client.
@usableFromInline
package final class KeyedLine<Key: Hashable & Sendable>: ClaimLine, @unchecked Sendable {
  // Safe because the table is reached only under the lock of the line.

  /// Reached only under the lock of the line.
  @usableFromInline package let keys: KeyTable<Key>

  @inlinable
  package convenience init(
    name: String?, type: StaticString, reportsKeys: Bool = false, capacity: Int? = nil, capacityPerKey: Int? = nil,
    slots: Int? = nil, kind: JobClaim.Kind = [], clock: some Clock<Duration> = ContinuousClock(),
    limits: WatchLimits = WatchLimits(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    self.init(
      KeyTable(), name: name, type: type, reportsKeys: reportsKeys, capacity: capacity, capacityPerKey: capacityPerKey,
      slots: slots, kind: kind, clock: AnyClock(clock), limits: limits, onEvent: onEvent)
  }

  @usableFromInline
  init(
    _ keys: KeyTable<Key>, name: String?, type: StaticString, reportsKeys: Bool, capacity: Int?, capacityPerKey: Int?,
    slots: Int?, kind: JobClaim.Kind, clock: AnyClock, limits: WatchLimits, onEvent: (@Sendable (TaskEvent) -> Void)?
  ) {
    self.keys = keys
    super.init(
      name: name, type: type, keys: keys, reportsKeys: reportsKeys, capacity: capacity, capacityPerKey: capacityPerKey,
      slots: slots, kind: kind, clock: clock, limits: limits, onEvent: onEvent)
    registration.begin(self)
  }

  deinit { registration.end() }

  // MARK: Deadlocks

  @usableFromInline
  package override func blockers(of waiter: Waiter) -> Blockers {
    guard let caller = waiter as? KeyedCaller<Touched<Key>> else { return super.blockers(of: waiter) }
    return state.withLock { table in
      caller.details == nil ? table.blockers(of: newJob(of: caller, &table)) : table.blockers(of: caller)
    }
  }

  @usableFromInline
  package override func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting {
    guard let caller = waiter as? KeyedCaller<Touched<Key>> else { return super.meeting(of: waiter, with: turn) }
    let meeting = state.withLock { table in
      caller.details == nil
        ? table.meeting(of: newJob(of: caller, &table), with: turn) : table.meeting(of: caller, with: turn)
    }
    return meeting.named { self.label }
  }

  @usableFromInline
  package override func stake(of waiter: Waiter) -> Stake? {
    guard let caller = waiter as? KeyedCaller<Touched<Key>> else { return super.stake(of: waiter) }
    return stake(caller.touched.stakeKeys, kind: caller.kind)
  }

  /// What a caller is about to be that has no place yet; to be called under the lock.
  private func newJob(of caller: KeyedCaller<Touched<Key>>, _ table: inout ClaimTable) -> NewJob {
    keys.settle(caller.touched, &table)
    return NewJob(
      touching: caller.touched.touchesEveryKey ? nil : existingQueues(caller.touched),
      touchesNothing: caller.touched.touchesNothing, kind: caller.kind)
  }

  /// The queues of these keys, as far as a job touches them; under the lock.
  @inlinable
  func existingQueues(_ touched: Touched<Key>) -> [KeyQueue] {
    switch touched {
    case .everyKey: []
    case .one(let key): keys.queues[key].map { [$0] } ?? []
    case .many(let touched): touched.compactMap { keys.queues[$0] }
    }
  }

  /// Whether the turn is that of a job that touches the key.
  ///
  /// To be asked by code inside the turn, which does not end meanwhile.
  @usableFromInline
  func touches(_ turn: WaitNode, _ key: StableKey<Key>) -> Bool {
    guard let job = JobClaim.of(turn) else { return false }
    if !job.isShared { return true }
    guard let queue = state.withLock({ _ in keys.queues[key] }) else { return false }
    var touches = false
    job.forEachClaim { if $0.queue === queue { touches = true } }
    return touches
  }
}

/// A caller that waits for a job over keys, or is about to; for its parameter see ``NamedQueue``.
///
/// Safe because it adds only what is immutable.
@usableFromInline
final class KeyedCaller<Keys: Sendable>: Caller, @unchecked Sendable {
  @usableFromInline let touched: Keys
  @usableFromInline let kind: JobClaim.Kind

  @usableFromInline
  init(name: String?, task: TaskReference?, touching touched: Keys, kind: JobClaim.Kind) {
    self.touched = touched
    self.kind = kind
    super.init(name: name, priority: Task.currentPriority.rawValue, task: task)
  }
}

// MARK: - Arriving

extension KeyedLine {
  /// Takes the line as a whole, if it is free and the caller's task is not cancelled.
  ///
  /// Not inlined, as all that takes a lock for an async function; see ``Lock``.
  @inlinable @inline(never)
  func enter(touching touched: Touched<Key>, named name: String?) -> Place? {
    // Whether the task is shielded from its cancellation is asked later.
    guard let task = TaskReference.current, !task.isCancelled else { return nil }
    let place = state.withLock { table -> Place? in
      guard table.isFree, !table.isClosed else { return nil }
      if !touched.touchesEveryKey { keys.solo = touched }
      return table.enter(name: name, task: task)
    }
    if let place, reports { report(.began, keys: touched, name, place) }
    return place
  }

  /// Ends the turn of a caller that found the line free.
  ///
  /// The keys are the caller's still, so none ends under the lock.
  @inlinable @inline(never)
  func finishSolo(_ touched: Touched<Key>) -> EscalationPin? {
    let waiter = state.withLock { table -> Waiter? in
      if table.leaveSolo() {
        if !touched.touchesEveryKey { keys.solo = .everyKey }
        return nil
      }
      return table.takeSoloWaiter()
    }
    return waiter.flatMap { finish($0) }
  }

  /// Takes a key that is free beside others, without claims.
  @inlinable
  func enterKey(_ touched: Touched<Key>, kind: JobClaim.Kind, named name: String?) -> KeyedTurn? {
    guard kind.isEmpty, case .one(let key) = touched else { return nil }
    let task = TaskReference.current
    let turn = state.withLock { keys.enter(key, &$0, named: name, task: task) }
    if reports, let turn { report(.began, keys: touched, name, place(of: turn)) }
    return turn
  }

  @usableFromInline
  func place(of turn: KeyedTurn) -> Place? { state.withLock { _ in turn.caller?.place ?? turn.claim?.waiter.place } }

  /// Ends the turn of a caller that found its key free.
  @inlinable @inline(never)
  func finishKey(_ touched: Touched<Key>, _ turn: KeyedTurn) -> EscalationPin? {
    guard case .one(let key) = touched else { return nil }
    return state.withLock { keys.leave(key, turn, &$0) }.flatMap { finish($0) }
  }

  /// What a call is that may be made in a turn of this line.
  @usableFromInline
  func kind(_ kind: JobClaim.Kind) -> JobClaim.Kind {
    guard HeldTurn.innermost != nil, let own = HeldTurn.node(where: { $0.resource === self }) else { return kind }
    // A turn that touches every key is in the way of all others, also of those inside it.
    guard JobClaim.of(own)?.isShared == true else { return kind.union(.part) }
    // It runs in the slot of that turn. A job that waits for every key waits for that turn if that touches one.
    let touchesKey = HeldTurn.node { $0.resource === self && JobClaim.of($0)?.sibling != nil } != nil
    return kind.subtracting(.slot).union(touchesKey || kind.contains(.first) ? [.part, .nested] : .part)
  }

  @usableFromInline
  enum Ticket {
    /// The key was free: the turn is the caller's.
    case key(KeyedTurn, isLimited: Bool)
    /// The caller has its turn, or waits for it.
    case job(Waiter, mustWait: Bool)
    case rejected(JobRejection)
  }

  /// Takes the turn or a place for the calling task, before it can suspend.
  @inlinable @inline(never)
  func arrive(
    touching touched: Touched<Key>, kind: JobClaim.Kind, named name: String?, waitingAtMost limit: Duration?
  ) -> Ticket {
    if Task.isCancelled { return refuse(.cancelled, touched, name) }
    if let turn = enterKey(touched, kind: kind, named: name) { return .key(turn, isLimited: limit != nil) }
    return arriveBusy(
      KeyedCaller(
        name: name, task: TaskReference.current, touching: touched, kind: self.kind(kind).limited(to: limit)), limit)
  }

  @inlinable
  func arriveBusy(_ caller: KeyedCaller<Touched<Key>>, _ limit: Duration?) -> Ticket {
    caller.isLimited = limit != nil
    let arrival = admit(caller, isLimited: limit != nil, label: label(caller.touched.names)) {
      join(caller, touching: caller.touched, kind: caller.kind, begins: true)
    }
    // It has no claims, from which `receive` would take its keys.
    if case .rejected(let why) = arrival, case .deadlock = why { return refuse(why, caller.touched, caller.name) }
    if let why = receive(arrival, of: caller) { return .rejected(why) }
    if case .granted = arrival {
      if !caller.kind.isDisjoint(with: [.nested, .first]) { raiseNested(caller) }
      report(.began, caller)
      return .job(caller, mustWait: false)
    }
    self.limit(caller, to: limit)
    if reports, limit == nil { watch(caller) }
    return .job(caller, mustWait: true)
  }

  /// Gives the job its places, in one step; one that begins at once is not to be withdrawn any more when it is granted its
  /// turn.
  @inlinable
  func join(_ waiter: Waiter, touching touched: Touched<Key>, kind: JobClaim.Kind = [], begins: Bool = false) -> Arrival
  {
    state.withLock { table in
      keys.settle(touched, &table)
      let arrival = table.join(
        JobClaim(
          in: table, waiter, kind: kind, touchesEveryKey: touched.touchesEveryKey,
          first: keys.claims(touched, isShared: kind.contains(.read))))
      if begins, case .granted = arrival { waiter.state = .running }
      return arrival
    }
  }

  @usableFromInline
  func refuse(_ why: JobRejection, _ touched: Touched<Key>, _ name: String?) -> Ticket {
    report(.rejected(why), keys: touched, name, nil)
    return .rejected(why)
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
    isolation: isolated (any Actor)? = #isolation, touching touched: Touched<Key>, kind: JobClaim.Kind = [],
    name: String?, waitingAtMost limit: Duration? = nil, rejectedAs failure: (JobRejection) -> Failure,
    _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let own = name == nil && touched.touchesEveryKey ? enterUnnamed() : nil
    var place: Place = 0
    if own == nil {
      guard let granted = enter(touching: touched, named: name) else {
        let ticket = arrive(touching: touched, kind: kind, named: name, waitingAtMost: limit)
        return try await performBusy(
          isolation: isolation, ticket, touching: touched, name: name, rejectedAs: failure, job)
      }
      place = granted
    }
    // As in `SerialLine.perform`.
    var success: Success?
    var thrown: Failure?
    let marker = limit == nil ? marker(in: markers) : limitedMarker(in: markers)
    await markers.withValue(marker) {
      _ = isolation
      TurnMarker.bindAddress(in: markers)
      do throws(Failure) { success = try await job() } catch { thrown = error }
      marker.end()
    }
    let pin: EscalationPin?
    if let own {
      pin = leaveUnnamed(own) ? nil : finishSolo(touched)
    } else {
      if reports { report(thrown.map { .failed($0) } ?? .finished, keys: touched, name, place) }
      pin = finishSolo(touched)
    }
    if let pin { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }

  /// Runs the job of a caller that did not find the line free, when nothing is in its way any more.
  @inlinable @inline(never)
  func performBusy<Success: ~Copyable, Failure: Error>(
    isolation: isolated (any Actor)?, _ ticket: Ticket, touching touched: Touched<Key>, name: String?,
    rejectedAs failure: (JobRejection) -> Failure, _ job: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    var own: KeyedTurn?
    var waiter: Waiter?
    let marker: TurnMarker
    switch ticket {
    case .key(let turn, let isLimited):
      own = turn
      marker = isLimited ? TurnMarker(limited: turn) : TurnMarker(node: turn)
    case .job(let caller, let mustWait):
      if mustWait {
        await waitForTurn(isolation: isolation, caller)
        if let why = caller.rejection { throw failure(why) }
      }
      waiter = caller
      marker = TurnMarker(node: caller.turn!)
    case .rejected(let why): throw failure(why)
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
        own.map { place(of: $0) } ?? waiter?.place)
    }
    if let pin = own.map({ finishKey(touched, $0) }) ?? finish(waiter!) { await pin.released() }

    if let thrown { throw thrown }
    return success.take()!
  }
}
