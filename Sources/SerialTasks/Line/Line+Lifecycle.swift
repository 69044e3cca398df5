// Pausing, closing, withdrawing, draining.

extension Line {
  final func pause() { locked { $0.pause() } }

  @usableFromInline
  package final func resume() { carryOut(locked { $0.resume() }) }

  /// Closes the line; no newer job can come that a draft waits for.
  final func close() {
    carryOut(
      locked { state in
        state.close()
        return state.releaseDrafts()
      })
  }

  final func withdrawAll() { carryOut(locked { $0.withdraw() }) }

  /// Pauses the line, and returns when nothing runs; returns why the caller did not wait for that.
  nonisolated(nonsending) final func pauseAndWait() async -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    // From inside a job, the call is about to be rejected.
    if !hasOwnTurn { carryOut(locked { $0.releaseDraftsBeforePause() }) }
    return await drain(LineDrainer(pauses: true, priority: Task.currentPriority.rawValue), label: label)
  }

  /// Closes the line, and returns when nothing waits or runs; see ``DrainRoom/shutDown(within:close:end:)``.
  ///
  /// - Parameters:
  ///   - limit: How long it may take.
  ///   - withdraw: Called when the limit has passed, with what withdraws the jobs.
  /// - Returns: Whether all ended by itself.
  nonisolated(nonsending) final func shutDown(
    within limit: Duration, withdrawing withdraw: (() -> Void) -> Void = { $0() }
  ) async -> Bool {
    await shutDown(within: limit, close: { close() }, end: { withdraw { endAtOnce()() } })
  }

  /// Closes the line, withdraws what has not begun, and cancels what runs, callers too, in one step.
  ///
  /// - Returns: What tells the callers and the tasks.
  final func endAtOnce() -> () -> Void {
    let withdrawal = locked { state in
      state.close()
      state.settle()
      return state.withdraw(cancelsCallers: true)
    }
    return { self.carryOut(withdrawal) }
  }

  @usableFromInline
  final var interruptions: Int { locked { $0.interruptions } }

  final var snapshot: ExecutorSnapshot {
    locked { state in
      ExecutorSnapshot(
        waiting: state.waiting, running: state.running, runningJob: state.light?.name ?? state.holder?.name,
        isPaused: state.isPaused, isClosed: state.isClosed, capacity: state.limit)
    }
  }
}

extension Line: DrainRoom {
  @usableFromInline
  final func makeDrainer() -> Waiter? { drainer { $0.isIdle ? nil : .some(nil) } }

  /// Makes a caller of `drain` for what stands in the queue, or for all, if there is anything.
  final func drainer(_ queue: (inout LineState) -> KeyQueue??) -> LineDrainer? {
    let queue = locked { state -> KeyQueue?? in
      state.settle()
      return queue(&state)
    }
    guard let queue else { return nil }
    let isNested = HeldTurn.innermost != nil
    return LineDrainer(
      of: queue, isNested: isNested, isPart: isNested && hasOwnTurn, priority: Task.currentPriority.rawValue)
  }

  @usableFromInline
  final func decideDrain(_ waiter: Waiter) -> Arrival { locked { $0.drain(.cast(waiter)) } }

  @usableFromInline
  final func rejection(of drainer: Waiter) -> JobRejection? { locked { _ in drainer.rejection } }

  @usableFromInline
  final func startWait(_ drainer: Waiter) {
    let start = WaitStart(at: clock.now)
    carryOut(
      locked { state in
        _ = state.noteWaitStart(of: drainer, at: start)
        return state.makeWay(for: .cast(drainer))
      })
    letPendingGoOn()
  }
}

extension Line {
  /// Stops the program, with the label of whose job is meant and the message, if the running code is certainly in no such job.
  final func preconditionInJob(
    _ isInJob: Bool, of label: @autoclosure () -> String, _ message: () -> String, _ file: StaticString, _ line: UInt
  ) {
    if isInJob || TurnMarker.mayBeOfChild { return }
    let detail = message()
    fatalError(
      "expected to run in a job of \(label())\(detail.isEmpty ? "" : ": \(detail)")", file: file, line: line)
  }
}
