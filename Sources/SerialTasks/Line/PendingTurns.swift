/// The turns whose jobs have not begun, because they wait for what the line does not know of: access that other processes may
/// have.
///
/// A report says that such a job waits, and that nothing holds what it waits for.
struct PendingTurns: ~Copyable, Sendable {
  private let starts = Lock<[Place: WaitStart]>([:])

  func begin(_ place: Place, since start: WaitStart) { starts.withLock { $0[place] = start } }

  func end(_ place: Place) { _ = starts.withLock { $0.removeValue(forKey: place) } }

  /// What the line knows, with the jobs that have not begun among those that wait.
  func applied(to holdings: [Holding]) -> [Holding] {
    let starts = starts.withLock { $0 }
    if starts.isEmpty { return holdings }
    return holdings.map { holding in
      guard let start = holding.place.flatMap({ starts[$0] }) else { return holding }
      let waiting = [Holding.Waiting(job: holding.job, start: start)] + holding.waiting
      return Holding(name: holding.name, isHeld: false, waiting: waiting)
    }
  }
}

extension Line {
  /// The place of the job whose turn the running code has; `nil` outside of the line's turns.
  package final var heldPlace: Place? { heldTurn?.place }

  /// Notes that the job whose turn the running code has waits on, since it came; returns its place, for ``endPending(_:)``.
  package final func beginPending() -> Place? {
    guard let (place, start) = heldTurn else { return nil }
    pending.begin(place, since: start.isMoment ? start : WaitStart(at: clock.now))
    return place
  }

  package final func endPending(_ place: Place) { pending.end(place) }

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
