extension Line {
  package final func pause() { locked { $0.pause() } }

  @usableFromInline
  package final func resume() { carryOut { $0.resume(&$1) } }

  /// Closes the line; no newer job can arrive for a draft to wait for.
  package final func close() { carryOut { $0.close(&$1) } }

  @inline(never)
  package final func carryOut(_ body: (inout LineState, inout Effects) -> Void) {
    locked { state in
      var effects = Effects()
      body(&state, &effects)
      return effects
    }.carryOut(on: self)
  }

  package final func withdrawAll() { carryOut(locked { $0.withdraw() }) }

  /// Pauses the line, and returns when nothing runs, or why the wait ended early; and whether this call began the pause.
  package nonisolated(nonsending) final func pauseAndWait() async -> (why: JobRejection?, isOwnPause: Bool) {
    let drainer = LineDrainer(pauses: true, priority: Task.currentPriority.rawValue)
    let why = await LineDrainRoom(self).drain(drainer, label: label) {
      // Also for what running jobs already wait for.
      WaitGraph.letPass(whatIsAwaitedIn: self.locked { $0.turns() })
    }
    return (why, locked { _ in drainer.hasBegunPause })
  }

  /// Closes the line, and returns when nothing waits or runs; see ``DrainRoom/shutDown(within:close:end:)``.
  ///
  /// When the limit has passed, `withdraw` is called, with a closure that withdraws the jobs.
  @inline(never)
  package nonisolated(nonsending) final func shutDown(
    within limit: Duration, withdrawing withdraw: (() -> Void) -> Void = { $0() }
  ) async -> Bool {
    await LineDrainRoom(self).shutDown(within: limit, close: { close() }, end: { withdraw { endAtOnce()() } })
  }

  /// Closes the line, withdraws jobs that have not begun, and cancels running ones, callers included, in one step.
  ///
  /// Returns a closure that resumes the callers and cancels the tasks.
  package final func endAtOnce() -> () -> Void {
    let withdrawal = locked { state in
      state.isClosed = true
      return state.withdraw(cancelsCallers: true)
    }
    return { self.carryOut(withdrawal) }
  }

  @usableFromInline @inline(never)
  package final var interruptions: Int { locked { $0.interruptions } }

  package final var snapshot: ExecutorSnapshot {
    locked { state in
      ExecutorSnapshot(
        waiting: state.waiting, running: state.running, runningJob: state.runningJob,
        isPaused: state.isPaused, isClosed: state.isClosed, capacity: state.limit)
    }
  }
}

extension Line {
  /// Waits until everything accepted so far has ended; returns why the wait ended early.
  package nonisolated(nonsending) final func drain() async -> JobRejection? { await LineDrainRoom(self).drain() }
}

/// Where callers of `drain`, `pauseAndWait` and `shutDown` wait for a line, or for one key of it.
final class LineDrainRoom: DrainRoom {
  private let line: Line

  init(_ line: Line) { self.line = line }

  var limits: TimeLimits { line.limits }
  var label: String { line.label }

  func makeDrainer() -> LineDrainer? {
    line.locked { $0.isIdle } ? nil : LineDrainer(priority: Task.currentPriority.rawValue)
  }

  func decideDrain(_ drainer: LineDrainer, _ effects: inout Effects) -> Arrival {
    line.locked { $0.drain(drainer, &effects) }
  }

  func carryOut(_ effects: Effects) { effects.carryOut(on: line) }
  func park(_ drainer: LineDrainer, _ suspension: Suspension) -> Bool { line.locked { _ in drainer.park(suspension) } }
  func leave(_ drainer: LineDrainer, _ why: JobRejection) { line.carryOut { $0.leave(drainer, why, &$1) } }
  func blockers(of drainer: LineDrainer) -> Blockers { line.locked { $0.blockers(of: drainer) } }

  func meeting(of drainer: LineDrainer, with turn: WaitNode) -> Meeting {
    line.locked { $0.meeting(of: drainer, with: turn) }.named(in: line)
  }

  func stake(of drainer: LineDrainer) -> Stake? {
    var stake = Stake(of: line, label: line.label, mode: .drain)
    stake.keys = drainer.queue?.stakeKey.map { [$0] }
    return stake
  }

  var interruptions: Int { line.interruptions }
  func rejection(of drainer: LineDrainer) -> JobRejection? { line.locked { _ in drainer.rejection } }
}

// MARK: - Handlers on the main actor

extension Line {
  final func beginCall(of job: Job) -> Place { locked { $0.beginCall(of: job) } }

  final func endCall(at place: Place) { carryOut { $0.endCall(at: place, &$1) } }
}

extension Line {
  package final func preconditionInJob(
    _ isInJob: Bool, of label: @autoclosure () -> String, _ message: () -> String, _ file: StaticString, _ line: UInt
  ) {
    if isInJob || TurnMarker.mayBeOfChild { return }
    let detail = message()
    fatalError(
      "expected to run in a job of \(label())\(detail.isEmpty ? "" : ": \(detail)")", file: file, line: line)
  }
}
