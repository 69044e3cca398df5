extension Line {
  @inline(never) package final func pause() { locked { $0.pause() } }

  @usableFromInline
  package final func resume() { carryOut { $0.resume(&$1) } }

  /// Closes the line, and ends the holds: no newer job can arrive.
  package final func close() { carryOut { $0.close(&$1) } }

  @usableFromInline @inline(never) package final func carryOut(_ body: (inout LineState, inout Effects) -> Void) {
    locked { state in
      var effects = Effects()
      body(&state, &effects)
      return effects
    }.carryOut(on: self)
  }

  @inline(never) package final func withdrawAll() { carryOut(locked { $0.withdraw() }) }

  /// Pauses the line, and returns when nothing runs, or why the wait ended early; and whether this call began the pause.
  package nonisolated(nonsending) final func pauseAndWait() async -> (why: JobRejection?, isOwnPause: Bool) {
    let drainer = LineDrainer(pauses: true, priority: Task.currentPriority.rawValue)
    let why = await LineDrainRoom(self).drain(drainer) {
      // Also for what running jobs already wait for.
      WaitGraph.letPass(whatIsAwaitedIn: self.locked { $0.turns() })
    }
    return (why, locked { _ in drainer.hasBegunPause })
  }

  package final func beginShutDown(
    hasTime: Bool, withdrawing: (@Sendable () -> @Sendable () -> Void)? = nil
  ) -> BegunShutDown { LineDrainRoom(self, withdrawing: withdrawing).beginShutDown(hasTime: hasTime) }

  package nonisolated(nonsending) final func drain() async -> JobRejection? { await LineDrainRoom(self).drain() }

  @inline(never) package final var snapshot: ExecutorSnapshot {
    locked { state in
      ExecutorSnapshot(
        waiting: state.waiting, running: state.running, runningJob: state.runningJob,
        isPaused: state.isPaused, isClosed: state.isClosed, capacity: state.limit)
    }
  }

  @usableFromInline @inline(never)
  package final func preconditionInJob(
    _ isInJob: Bool, of label: @autoclosure () -> String, _ message: () -> String, _ file: StaticString, _ line: UInt
  ) {
    if isInJob || TurnMarker.mayBeOfChild { return }
    let detail = message()
    fatalError("expected to run in a job of \(label())\(detail.isEmpty ? "" : ": \(detail)")", file: file, line: line)
  }
}
