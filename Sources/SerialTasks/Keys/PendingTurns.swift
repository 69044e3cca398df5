/// The turns whose jobs have not begun, because they wait for what the line does not know of: access that other processes may
/// have.
///
/// A report says that such a job waits, and that nothing holds what it waits for. A caller of `pauseAndWait` does not wait for
/// it, and it does not begin before the pause is over.
struct PendingTurns: ~Copyable, Sendable {
  // Not private: the compiler of Swift 6.3 crashes on that.
  struct Turn: Sendable {
    let start: WaitStart
    /// Has the job look again whether a pause holds it back.
    let goOn: @Sendable () -> Void
  }

  private let turns = Lock<[Place: Turn]>([:])

  func begin(_ place: Place, since start: WaitStart, goOn: @escaping @Sendable () -> Void) {
    turns.withLock { $0[place] = Turn(start: start, goOn: goOn) }
  }

  /// Returns whether the turn was pending.
  func end(_ place: Place) -> Bool { turns.withLock { $0.removeValue(forKey: place) } != nil }

  /// Has all jobs look again: a job that runs may have come to wait for one of them.
  func goOn() { for turn in turns.withLock({ $0.sorted { $0.key < $1.key } }) { turn.value.goOn() } }

  /// What the line knows, with the jobs that have not begun among those that wait.
  func applied(to holdings: [Holding]) -> [Holding] {
    let turns = turns.withLock { $0 }
    if turns.isEmpty { return holdings }
    return holdings.map { holding in
      guard let turn = holding.place.flatMap({ turns[$0] }) else { return holding }
      let waiting = [Holding.Waiting(job: holding.job, start: turn.start)] + holding.waiting
      return Holding(name: holding.name, isHeld: false, waiting: waiting)
    }
  }
}

extension ClaimLine {
  /// The place of the job whose turn the running code has; `nil` outside of the line's turns.
  package final var heldPlace: Place? { heldTurn?.place }

  /// Notes that the job whose turn the running code has waits on, since it came.
  ///
  /// - Parameter goOn: Has the job look again whether a pause holds it back.
  /// - Returns: Its place, for ``endPending(_:)``.
  package final func beginPending(goOn: @escaping @Sendable () -> Void = {}) -> Place? {
    guard let (place, start) = heldTurn else { return nil }
    pending.begin(place, since: start.isMoment ? start : WaitStart(at: clock.now), goOn: goOn)
    carryOut(state.withLock { $0.countUnbegun() })
    return place
  }

  /// Notes that the job at the place does not wait on, whether or not it begins.
  package final func endPending(_ place: Place) {
    if pending.end(place) { state.withLock { $0.unbegun -= 1 } }
  }

  /// Lets the job at the place, whose turn the running code has, begin unless a pause holds it back; returns whether it begins.
  package final func beginsPending(_ place: Place) -> Bool {
    // If a pause comes in between, the job does not begin, and asks again.
    let (job, isNested) = isPaused ? ownJob : (nil, false)
    let begins = state.withLock { table in
      if table.holdsBack(job, isNested: isNested) { return false }
      table.unbegun -= 1
      return true
    }
    if begins { _ = pending.end(place) }
    return begins
  }

  package final var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Whether a pause holds back the job whose turn the running code has.
  package final var isHeldBack: Bool {
    if !isPaused { return false }
    let (job, isNested) = ownJob
    return state.withLock { $0.holdsBack(job, isNested: isNested) }
  }

  /// The claims of the job whose turn the running code has, and whether that was called in another turn of this line.
  private final var ownJob: (job: JobClaim?, isNested: Bool) {
    let turns = HeldTurn.chain.filter { $0.resource === self }
    return (turns.first.flatMap { JobClaim.of($0) }, turns.count > 1)
  }

  /// The innermost turn, and since when its job waited for it, if it had to.
  private final var heldTurn: (place: Place, start: WaitStart)? {
    guard HeldTurn.innermost != nil, let turn = HeldTurn.node(where: { $0.resource === self }) else { return nil }
    return state.withLock { table in
      if let solo = turn === self ? table.solo : (turn as? KeyedTurn)?.caller { return (solo.place, WaitStart()) }
      let waiter = turn === self ? table.soloWaiter : (turn as? KeyedTurn)?.waiter
      return waiter.map { ($0.place, $0.start) }
    }
  }
}
