/// A line in which jobs wait only for those that touch the same keys: the shell around ``ClaimTable``.
///
/// This part does not know the type of the keys, so it is compiled once; ``KeyedLine`` adds them.
@usableFromInline
package class ClaimLine: Line, @unchecked Sendable {
  // Safe because the table is behind its lock and the rest is immutable once the line is made.

  @usableFromInline package final let state: ClaimLock
  package final let observers = WaitObservers<ClaimTable>()
  package final let turns = TurnPool()
  let pending = PendingTurns()
  /// What its jobs are, but for reads and for what is called inside another.
  @usableFromInline package final let kindOfJobs: JobClaim.Kind
  /// Whether each key counts as an executor of its own in events.
  final let reportsKeys: Bool

  init(
    name: String?, type: StaticString, keys: KeyIndex, reportsKeys: Bool, capacity: Int?, capacityPerKey: Int?,
    slots: Int?, kind: JobClaim.Kind, clock: AnyClock, limits: WatchLimits, onEvent: (@Sendable (TaskEvent) -> Void)?
  ) {
    state = ClaimLock(
      ClaimTable(
        keys: keys, turns: turns, capacity: capacity, capacityPerKey: capacityPerKey, slots: slots, kind: kind,
        observers: observers),
      hasWord: !reportsKeys && onEvent == nil)
    kindOfJobs = kind
    self.reportsKeys = reportsKeys
    super.init(name: name, type: type, clock: clock, limits: limits, onEvent: onEvent)
    turns.bind(to: self)
  }

  // MARK: Decisions

  @usableFromInline
  package final override func park(_ waiter: Waiter, _ suspension: Suspension) -> Bool {
    state.withLock { _ in waiter.park(suspension) }
  }
  final override func decideBegin(_ waiter: Waiter) -> Beginning {
    let beginning = state.withLock { $0.begin(waiter) }
    if case .waitAgain = beginning { carryOut(state.withLock { $0.giveWay(waiter) }) }
    return beginning
  }
  final override func decideFinish(_ waiter: Waiter) -> Ending { state.withLock { $0.finish(waiter) } }
  final override func decideFinish(_ job: Submission, mayGoOn: Bool) -> (effects: Effects, next: Submission?) {
    state.withLock { table in
      let task = job.handle.take()
      var effects = table.finish(job).effects
      guard mayGoOn, let next = effects.takeStarted(inTaskOf: job, task) else { return (effects, nil) }
      _ = table.begin(next)
      return (effects, next)
    }
  }
  final override func decideLeave(_ waiter: Waiter, _ why: JobRejection) -> Departure {
    state.withLock { $0.leave(waiter, why) }
  }
  final override func decideCancel(_ job: Waiter) -> (departure: Departure, task: Task<Void, Never>?) {
    state.withLock { table in
      job.isCancelled = true
      return (table.leave(job, .cancelled), job.handle)
    }
  }
  final override func decideTold(_ waiters: [Waiter]) -> Effects { state.withLock { $0.told(waiters) } }
  final override func decideEscalation(_ job: Waiter, to priority: UInt8) -> Few<Escalation> {
    state.withLock { $0.escalate(job, to: priority) }
  }
  final override func decideAttach(_ task: Task<Void, Never>, to job: Waiter) -> Attachment {
    state.withLock { _ in job.attach(task) }
  }
  @usableFromInline
  final override func decideDrain(_ waiter: Waiter) -> Arrival { state.withLock { $0.drain(waiter) } }
  final override func decideWaitStart(of waiter: Waiter, at start: WaitStart) -> (ahead: Int, isDraft: Bool) {
    state.withLock { table in
      (table.noteWaitStart(of: waiter, at: start), !waiter.isDrainer && JobClaim.of(waiter).isDraft)
    }
  }
  final override func collect() -> [Holding] {
    let label = label
    return pending.applied(to: state.withLock { $0.holdings(label: label) })
  }
  final override func decideWaiting(behind places: Set<Place>) -> [Place: Int] {
    state.withLock { $0.waiting(behind: places) }
  }
  @usableFromInline
  final override func makeDrainer() -> Waiter? { drainer { $0.isIdle ? nil : $0.all } }
  final override func makePauser() -> Waiter {
    let waiter = Caller(pauses: true, priority: Task.currentPriority.rawValue)
    waiter.details = state.withLock { $0.all }
    return waiter
  }
  final override func decideWithdrawal(cancelsCallers: Bool) -> Withdrawal {
    state.withLock { table in
      if cancelsCallers { table.settle() }
      return table.withdraw(from: table.all, cancelsCallers: cancelsCallers)
    }
  }
  @usableFromInline
  package override func blockers(of waiter: Waiter) -> Blockers {
    state.withLock { $0.blockers(of: waiter) }
  }
  @usableFromInline
  package override func meeting(of waiter: Waiter, with turn: WaitNode) -> Meeting {
    if waiter.isDrainer { return Meeting() }
    return state.withLock { $0.meeting(of: waiter, with: turn) }.named { self.label }
  }
  @usableFromInline
  package override func stake(of waiter: Waiter) -> Stake? {
    if waiter.isDrainer { return stake(ofDrainer: waiter) }
    return waiter.details == nil ? nil : stake(of: JobClaim.of(waiter))
  }
  final override func blockers(ofEndOf job: Waiter) -> Blockers { state.withLock { $0.blockers(ofEndOf: job) } }
  final override func job(of turn: WaitNode) -> String? {
    state.withLock { table in
      if turn === self { return table.solo?.name ?? table.soloWaiter?.name }
      guard let turn = turn as? KeyedTurn else { return JobClaim.of(turn)?.waiter?.name }
      return turn.caller?.name ?? turn.claim?.waiter?.name
    }
  }
  final override func hasCome(_ waiter: Waiter) {
    observers.tell()
    makeWay(for: waiter)
    if JobClaim.of(waiter).meetsDrains { rejectDrains(closedBy: waiter) }
  }
  final override func prepareForPause() {
    // From inside a job, the call is about to be rejected.
    if !hasOwnTurn { carryOut(state.withLock { $0.releaseDraftsBeforePause() }) }
  }
  final override func makeWay(forDrainer drainer: Waiter) {
    carryOut(state.withLock { $0.makeWay(forDrainer: drainer) })
    pending.goOn()
  }
  final override func isAwaited(_ job: Waiter) -> Bool {
    guard job.details != nil, hasOwnTurn else { return false }
    carryOut(state.withLock { $0.noteAwaited(job) })
    pending.goOn()
    return true
  }
  final override func isAwaitedNoMore(_ job: Waiter) { state.withLock { _ in JobClaim.of(job).awaiting -= 1 } }

  /// Whether the running code certainly has a turn of this line.
  private final var hasOwnTurn: Bool { HeldTurn.node { $0.resource === self } != nil }
  @usableFromInline
  final override func read<Result: Sendable>(_ body: () -> Result) -> Result { state.withLock { _ in body() } }

  /// Raises a caller that has its turn at once to the priority of the jobs that it has gone before.
  @usableFromInline
  final func raiseNested(_ caller: Waiter) {
    let escalation = state.withLock { _ in
      caller.raisedTo > caller.priority ? caller.escalateTurn(to: caller.raisedTo) : nil
    }
    if let escalation { escalate(.one(escalation)) }
  }

  // MARK: The line as a whole

  /// Takes it for a job of which nothing is to be told.
  ///
  /// - Returns: The caller's task; `nil` if the line is not free, or there is more to decide, and then nothing has changed.
  @usableFromInline
  final func enterUnnamed() -> TaskReference? { state.enter() }

  /// Gives it back, unless another task has looked since: then the table knows who has it.
  @usableFromInline
  final func leaveUnnamed(_ task: TaskReference) -> Bool { state.leave(task) }

  // MARK: Names

  final override func keys(of waiter: Waiter) -> (any KeyNames)? {
    waiter.details == nil || waiter.isDrainer ? nil : JobClaim.of(waiter)
  }

  final override func label(of waiter: Waiter) -> String {
    waiter.details == nil || waiter.isDrainer ? label : label(touching: JobClaim.of(waiter))
  }

  /// From inside a job of a key, that key is in the way of all others.
  @usableFromInline
  final override var drainLabel: String {
    reportsKeys ? HeldTurn.node { $0.resource === self }?.turnLabel ?? label : label
  }

  final func label(touching job: JobClaim?) -> String { job?.label(of: label) ?? label }

  /// What events and deadlocks call what touches these keys: `bank[ann, bob]`, or `bank` for every key.
  @usableFromInline
  package final func label(_ keys: [String]) -> String { label.touching(keys) }

  // The line itself is the turn of a caller that finds it free.

  package final override var details: AnyObject? { state.withLock { soloClaim(&$0) } }

  package final override var turnLabel: String { label(touching: state.withLock { soloClaim(&$0) }) }

  final func claim(of turn: KeyedTurn) -> JobClaim? {
    state.withLock { table in
      if turn.caller != nil { table.settle() }
      return turn.claim
    }
  }

  package final override var stake: Stake? { stake(of: state.withLock { soloClaim(&$0) }) }

  private func soloClaim(_ table: inout ClaimTable) -> JobClaim? {
    table.settleSolo()
    return table.soloWaiter.map { JobClaim.of($0) }
  }

  // MARK: Draining

  /// Rejects the callers of `drain` that wait for this job while it waits for them.
  @inline(never)
  private func rejectDrains(closedBy job: Waiter) {
    let drains = state.withLock { _ in JobClaim.of(job).drains }
    let stuck = WaitGraph.stuck(drains) { self.blockers(of: job) }
    for (drain, deadlock) in stuck { leave(drain, .deadlock(deadlock)) }
  }

  // MARK: Lifecycle

  final func pause() { state.withLock { $0.pause() } }

  @usableFromInline
  package final func resume() { carryOut(state.withLock { $0.resume() }) }

  /// No newer job can come that a draft waits for.
  final override func close() {
    carryOut(
      state.withLock { table in
        table.close()
        return table.releaseDrafts(of: table.all)
      })
  }

  /// A caller of `drain` for what stands in the queue, if there is one.
  final func drainer(_ queue: (inout ClaimTable) -> KeyQueue?) -> Waiter? {
    let queue = state.withLock { table -> KeyQueue? in
      table.settle()
      return queue(&table)
    }
    guard let queue else { return nil }
    let priority = Task.currentPriority.rawValue
    let isNested = HeldTurn.innermost != nil
    let waiter =
      isNested
      ? NestedDrainer(priority: priority, isPart: hasOwnTurn) : Caller(isDrainer: true, priority: priority)
    waiter.details = queue
    return waiter
  }
}
