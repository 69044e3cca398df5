/// A job that has its turn and has not begun, because it waits for access that other processes may have.
///
/// Reports show it as waiting, it counts against the capacity, and a caller of `pauseAndWait` does not wait for it. A pause
/// holds it back unless a running job waits for it.
package final class Unbegun: Sendable {
  private let job: Job
  private let line: Line
  /// Its edge in the wait graph, from its turn to the pause that holds it back.
  private let wait: Wait

  fileprivate init(_ job: Job, in line: Line, goOn: @escaping @Sendable () -> Void) {
    (self.job, self.line) = (job, line)
    wait = Wait(for: line.label) { line.locked { $0.blockers(ofUnbegun: job, goOn) } }
  }

  package var isHeldBack: Bool { line.locked { $0.isHeldBack(job) } }

  /// Begins the job unless a pause holds it back; returns whether it has begun.
  package func begin() -> Bool {
    let begins = line.locked { state in
      if state.isHeldBack(job) { return false }
      state.endUnbegun(job)
      return true
    }
    if begins { wait.end() }
    return begins
  }

  /// Notes that the job no longer waits, whether or not it begins.
  package func end() {
    line.locked { $0.endUnbegun(job) }
    wait.end()
  }
}

extension Line {
  /// Notes that the job of the running code continues to wait; returns the wait, or why it is rejected.
  ///
  /// With `needsRoom`, it is rejected if it has not waited so far and the capacity is used up. `goOn` makes it check
  /// again whether a pause holds it back.
  package final func beginUnbegun(
    needsRoom: Bool = false, goOn: @escaping @Sendable () -> Void = {}
  ) -> Result<Unbegun, JobRejection> {
    let (job, start) = (ownJob!, waitStart)
    let unbegun = Unbegun(job, in: self, goOn: goOn)
    var effects = Effects()
    let refusal = locked { $0.becomeUnbegun(job, at: start, needsRoom: needsRoom, &effects) }
    effects.carryOut(on: self)
    if let refusal { return .failure(refusal) }
    unbegun.beginWait()
    return .success(unbegun)
  }

  package final var ownPlace: Place? { ownJob?.place }

  private final var ownJob: Job? { HeldTurn.node { $0.resource === self }.flatMap { Line.holder(of: $0) } }

  package final var lastPlace: Place { locked { $0.lastPlace } }

  package final var isPaused: Bool { locked { $0.isPaused } }

  /// Notes the rejection of a job that had its turn, as if the line had rejected it.
  package final func noteInterruption() { locked { $0.interruptions += 1 } }
}

extension Unbegun {
  fileprivate func beginWait() { _ = WaitGraph.begin(wait) { true } }
}

extension LineState {
  fileprivate mutating func becomeUnbegun(
    _ job: Job, at start: WaitStart, needsRoom: Bool, _ effects: inout Effects
  ) -> JobRejection? {
    let mayBeRefused = needsRoom && !job.isNested && !job.notes.contains(.hasWaited)
    if mayBeRefused, waiting + unbegun >= capacity { return .full(capacity: capacity) }
    if !job.start.isMoment { job.start = start }
    job.notes.insert(.isUnbegun)
    unbegun += 1
    if rare != nil { endPausers(&effects) }
    return nil
  }

  mutating func endUnbegun(_ job: Job) {
    guard job.isUnbegun else { return }
    job.notes.remove(.isUnbegun)
    unbegun -= 1
  }

  /// Returns what an unbegun job waits for: the end of the pause that holds it back, if a caller awaits the pause.
  fileprivate func blockers(ofUnbegun job: Job, _ goOn: @escaping @Sendable () -> Void) -> Blockers {
    guard job.isUnbegun, isPauseAwaited, isHeldBack(job) else { return .none }
    var blockers = Blockers.none
    blockers.pause = pause(holding: [job], goOn)
    return blockers
  }
}
