// MARK: - Boarding

/// All of these are called under the lock of the line.
extension ReadFlight {
  @usableFromInline
  package final func arrive(
    on queue: JobQueue, _ caller: Waiter, _ state: inout LineState, _ effects: inout Effects
  ) -> Arrival {
    state.prepare(read, touching: .one(queue))
    let arrival = state.arrive(read, &effects)
    if arrival.rejection == nil { waiters.append(caller) }
    return arrival
  }

  @usableFromInline
  package final func join(_ caller: Waiter, _ state: inout LineState, _ effects: inout Effects) {
    waiters.append(caller)
    state.raise(read, to: caller.priority, &effects)
  }
}

extension JobQueue {
  /// Returns the read that a new one would join: the last one, unless another job of the key or of every key stands
  /// behind it.
  @usableFromInline
  package final func joinable(_ types: ReadTypes, in state: borrowing LineState) -> ReadFlight? {
    var place = places.last
    while let shared = place, isShared(shared) {
      place = places.before(shared)
      // A read inside a turn is not shared.
      guard let read = shared.claimant as? ReadJob else { continue }
      if state.all.hasAlone(behind: read.place) { return nil }
      if read.flight.types == types, !read.flight.isDetached { return read.flight }
    }
    return nil
  }
}

// MARK: - Events

/// All of these are called under the lock of the line.
extension ReadFlight {
  /// Decides whether its task runs the operation; `nil` if it has to wait.
  package final func begin(in task: TaskReference?, _ state: inout LineState) -> Bool? {
    if read.isWaiting { return nil }
    if state.begin(read) != nil { return false }
    _ = begin(in: task)
    return true
  }

  /// Removes a caller that is still waiting; returns what is then to be carried out, after the operation was cancelled.
  ///
  /// Without callers, a read that has not begun gives up its place, and the operation of a running one is no longer wanted.
  package final func leave(
    _ caller: Waiter, _ why: JobRejection, _ state: inout LineState
  ) -> (effects: Effects, unwanted: Effects)? {
    // The limit is for waiting, not for the read.
    guard caller.isWaiting, why != .late || phase == .boarding else { return nil }
    waiters.remove(caller)
    caller.reject(why)
    // The call that cancels a submitted read settles its handle, and callers of `drain` wait for that.
    if let submission = caller as? Submission { state.leaves(submission, read) }
    var (effects, unwanted) = (Effects(), Effects())
    if waiters.isEmpty {
      isDetached = true
      phase = .abandoned
      switch state.leave(read, .cancelled) {
      case .left(let own): (effects, caller.endsJob) = (own, true)
      case .running: unwanted.cancel(handle.take(), later: isDeep)
      case .gone: break
      }
    }
    effects.resume(caller)
    return (effects, unwanted)
  }

  final func blockers(of caller: Waiter, _ state: inout LineState) -> Blockers {
    // Until the read has begun, a caller with a limit leaves in time.
    guard caller.isWaiting, !(caller.isLimited && phase == .boarding) else { return .none }
    return read.isWaiting ? state.blockers(of: read) : .all([self])
  }

  /// Passes the result to the callers; ends the turn, unless there are submitted reads to settle before.
  package final func land(_ state: inout LineState) -> (effects: Effects, submissions: Few<Waiter>) {
    isDetached = true
    handle = nil
    if phase == .flying { phase = .landed }
    // First: if everything runs on one executor, no result may come after the next write or after `drain()`.
    var (effects, submissions) = (Effects(), Few<Waiter>.none)
    waiters.removeAll { caller in
      caller.grant()
      if caller.isSubmitted { submissions.append(caller) } else { effects.resume(caller) }
    }
    if submissions.isEmpty { state.end(read, &effects) }
    return (effects, submissions)
  }
}

extension ReadTypes {
  /// Returns the request of a call that leaves unless it can join a running read.
  func joining(_ stake: Stake) -> Stake {
    var stake = stake
    stake.mode = .joins(value: value, failure: failure)
    stake.slots = nil
    return stake
  }
}
