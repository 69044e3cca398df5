/// A job that has its turn, and waits for access before it begins: see ``LineState/waitInTurn(_:since:needsRoom:_:)``.
final class Unbegun: Sendable {
  private let job: Job
  private let line: Line
  /// Its edge in the wait graph, from its turn to the pause that holds it back.
  fileprivate let wait: Wait

  fileprivate init(_ job: Job, in line: Line, goOn: @escaping @Sendable () -> Void) {
    (self.job, self.line) = (job, line)
    wait = Wait(for: line.label) { line.locked { $0.blockers(inTurnOf: job, goOn) } }
  }

  var isHeldBack: Bool { line.locked { $0.isHeldBack(job) } }

  /// Begins the job unless a pause holds it back; returns whether it has begun.
  func begin() -> Bool {
    let begins = line.locked { state in
      if state.isHeldBack(job) { return false }
      state.goOn(job)
      return true
    }
    if begins { wait.end() }
    return begins
  }

  func end() {
    line.locked { $0.goOn(job) }
    wait.end()
  }
}

extension Line {
  /// Notes that the job of the running code continues to wait; returns the wait, or why it is rejected.
  ///
  /// `goOn` makes it check again whether a pause holds it back.
  final func beginUnbegun(
    needsRoom: Bool = false, goOn: @escaping @Sendable () -> Void = {}
  ) -> Result<Unbegun, JobRejection> {
    let (job, start) = (ownJob!, waitStart)
    let unbegun = Unbegun(job, in: self, goOn: goOn)
    var effects = Effects()
    let refusal = locked { $0.waitInTurn(job, since: start, needsRoom: needsRoom, &effects) }
    effects.carryOut(on: self)
    if let refusal { return .failure(refusal) }
    _ = WaitGraph.begin(unbegun.wait) { true }
    return .success(unbegun)
  }

  final var ownPlace: Place? { ownJob?.place }

  private final var ownJob: Job? { HeldTurn.node { $0.resource === self }.flatMap { $0.holder as? Job } }

  final var lastPlace: Place { locked { $0.lastPlace } }

  final var isPaused: Bool { locked { $0.isPaused } }

  /// Notes the rejection of a job that had its turn, as if the line had rejected it.
  final func noteInterruption() { locked { $0.interruptions += 1 } }
}

extension LineState {
  /// Notes that a job waits in its turn for something outside the line, or returns why it must not.
  ///
  /// Reports show it as waiting, it counts against the capacity, `pauseAndWait` does not wait for it, and a pause
  /// holds it back unless a running job needs it. With `needsRoom`, it must not begin to wait if the line is full.
  fileprivate mutating func waitInTurn(
    _ job: Job, since start: WaitStart, needsRoom: Bool, _ effects: inout Effects
  ) -> JobRejection? {
    let mayBeRefused = needsRoom && !job.isNested && !job.hasWaited
    if mayBeRefused, waiting + waitingInTurn >= capacity { return .full(capacity: capacity) }
    if !job.start.isMoment { job.start = start }
    job.stage = .waitsInTurn
    waitingInTurn += 1
    if rare != nil { endPausers(&effects) }
    return nil
  }

  /// Returns the pause that holds the job back, if a caller awaits that pause; calls `goOn` when it no longer does.
  fileprivate func blockers(inTurnOf job: Job, _ goOn: @escaping @Sendable () -> Void) -> Blockers {
    guard job.waitsInTurn, isPauseAwaited, isHeldBack(job) else { return .none }
    var blockers = Blockers.none
    blockers.pause = pause(holding: [job], goOn)
    return blockers
  }
}
