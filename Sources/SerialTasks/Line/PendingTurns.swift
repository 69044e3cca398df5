// Turns whose jobs have not begun, because they wait for what the line does not know of: access that other processes may have.
//
// A report says that such a job waits, and that nothing holds what it waits for. A caller of `pauseAndWait` does not wait for it, and
// it does not begin before the pause is over.

struct PendingTurn: Sendable {
  let start: WaitStart
  /// Has the job look again whether a pause holds it back.
  let goOn: @Sendable () -> Void
}

extension LineState {
  /// How many jobs have their turn and have not begun.
  var unbegun: Int { table?.pending.count ?? 0 }

  /// Whether as many jobs wait as may, those among them that have their turn.
  var isFull: Bool { capacity != .max && waiting + unbegun >= capacity }

  /// Notes that the job at the place has its turn and waits on; returns nothing if it needs room for that, and there is none.
  mutating func begin(_ turn: PendingTurn, at place: Place, needsRoom: Bool) -> Effects? {
    if isFull, needsRoom { return nil }
    var effects = Effects()
    table?.pending[place] = turn
    if !drainers.isEmpty { endDrains(&effects) }
    return effects
  }

  /// Returns whether a pause holds back a job that has its turn and has not begun.
  ///
  /// - Parameters:
  ///   - job: The job, if it is known.
  ///   - isNested: Whether it was called in another turn of the line.
  /// - Returns: Whether it must wait for the end of the pause.
  func holdsBack(_ job: Job?, isNested: Bool) -> Bool {
    if !isPaused || awaitsPause && isNested { return false }
    return job.map { !mayBeginInPause($0) && !(awaitsPause && isPart($0)) } ?? true
  }
}

extension Line {
  /// The place of the job whose turn the running code has; `nil` outside of the line's turns.
  package final var heldPlace: Place? { heldTurn?.place }

  /// Notes that the job whose turn the running code has waits on, since it came.
  ///
  /// - Parameters:
  ///   - rejected: Called if the job has not waited so far, and as many wait as may: it is not to wait. Without this, it may.
  ///   - goOn: Has the job look again whether a pause holds it back.
  /// - Returns: Its place, for ``endPending(_:)``, if it waits.
  package final func beginPending(
    rejected: ((JobRejection) -> Void)? = nil, goOn: @escaping @Sendable () -> Void = {}
  ) -> Place? {
    guard let (place, start) = heldTurn else { return nil }
    let turn = PendingTurn(start: start.isMoment ? start : WaitStart(at: clock.now), goOn: goOn)
    let needsRoom = rejected != nil && start == WaitStart()
    let (effects, capacity) = locked { ($0.begin(turn, at: place, needsRoom: needsRoom), $0.capacity) }
    guard let effects else {
      rejected?(.full(capacity: capacity))
      return nil
    }
    carryOut(effects)
    return place
  }

  /// Notes that the job at the place does not wait on, whether or not it begins.
  package final func endPending(_ place: Place) {
    // What it captured is released after the unlock.
    _ = locked { $0.table?.pending.removeValue(forKey: place) }
  }

  /// Notes that a job was withdrawn or cancelled that has its turn and has not begun: a shutdown says so.
  package final func noteInterruption() { locked { $0.interruptions += 1 } }

  /// Has all jobs look again that have their turns and have not begun: a job that runs may have come to wait for one of them.
  final func letPendingGoOn() {
    let pending = locked { $0.unbegun == 0 ? [:] : $0.table!.pending }
    for turn in pending.sorted(by: { $0.key < $1.key }) { turn.value.goOn() }
  }

  /// Lets the job at the place, whose turn the running code has, begin unless a pause holds it back; returns whether it begins.
  package final func beginsPending(_ place: Place) -> Bool {
    // If a pause comes in between, the job does not begin, and asks again.
    let (job, isNested) = isPaused ? ownJob : (nil, false)
    let (begins, _) = locked { state -> (Bool, PendingTurn?) in
      if state.holdsBack(job, isNested: isNested) { return (false, nil) }
      return (true, state.table?.pending.removeValue(forKey: place))
    }
    return begins
  }

  package final var isPaused: Bool { locked { $0.isPaused } }

  /// Whether a pause holds back the job whose turn the running code has.
  package final var isHeldBack: Bool {
    if !isPaused { return false }
    let (job, isNested) = ownJob
    return locked { $0.holdsBack(job, isNested: isNested) }
  }

  /// The job whose turn the running code has, and whether that was called in another turn of this line.
  private final var ownJob: (job: Job?, isNested: Bool) {
    let turns = HeldTurn.chain.filter { $0.resource === self }
    return (turns.first.flatMap { Line.holder(of: $0) }, turns.count > 1)
  }

  /// The innermost turn, and since when its job waited for it, if it had to.
  private final var heldTurn: (place: Place, start: WaitStart)? {
    guard HeldTurn.innermost != nil, let turn = HeldTurn.node(where: { $0.resource === self }) else { return nil }
    return locked { state in
      if let light = turn === self ? state.light : (turn as? JobTurn)?.light { return (light.place, WaitStart()) }
      let job = turn === self ? state.holder : (turn as? JobTurn)?.owner
      return job.map { ($0.place, $0.start) }
    }
  }
}
