/// A read that callers share, in its seat of a batch.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package class ReadFlight: Flight, @unchecked Sendable {
  @usableFromInline final let line: Line
  @usableFromInline package final let seat: ReadSeat

  /// - Parameters:
  ///   - line: Where its seat will be.
  ///   - name: The name of the job.
  ///   - priority: What its operation begins with.
  ///   - urgency: The priority of the caller that waits for it, which may be higher.
  @usableFromInline
  package init(line: Line, name: String?, priority: UInt8, urgency: UInt8) {
    self.line = line
    seat = ReadSeat(name: name, isSubmitted: true, priority: max(priority, urgency))
    super.init(name: name, priority: priority, generation: .take())
    seat.flight = self
    _ = raise(to: urgency)
  }

  deinit { TurnGeneration.release(generation) }

  /// Who waits for the line inside the read waits for the turn that the read has a part in.
  package final override var resource: WaitNode { line }

  package final override var label: String { line.label }

  /// Lets no later caller join it.
  package func stopSharing() {}
}

// MARK: - Events

/// Each to be called under the lock of the line.
extension ReadFlight {
  @usableFromInline
  package enum Departure: Sendable {
    case left
    /// Nobody wants it any more. It gives its turn back if it has not begun; its task is to be cancelled if it has.
    case lastLeft(Aftermath?, cancelling: Task<Void, Never>?)
    /// It had its answer.
    case gone
  }

  package enum Beginning: Sendable {
    case run
    /// Its turn has not come, or was put back: wait.
    case putBack
    /// It was rejected, or everybody has left it.
    case gone
    /// The same after its turn had come: that goes on.
    case turnedAway(Aftermath)
  }

  /// Its task is about to run the operation, or to wait.
  package final func begin(_ state: inout LineState) -> Beginning {
    switch state.begin(seat) {
    case .run:
      phase = .flying
      return .run
    case .putBack: return .putBack
    case .gone: return .gone
    case .turnedAway(let handover): return .turnedAway(Aftermath(handover))
    }
  }

  /// A caller was cancelled, or must not wait.
  package final func leave(
    _ caller: Waiter, _ why: JobRejection, _ state: inout LineState
  ) -> Departure {
    guard caller.isWaiting else { return .gone }
    waiters.remove(caller)
    caller.state = .rejected(why)
    guard waiters.isEmpty else { return .left }
    phase = .abandoned
    stopSharing()
    switch state.leave(seat) {
    case .left(let handover):
      caller.endsJob = true
      var aftermath = Aftermath(handover)
      aftermath.wake(seat)
      return .lastLeft(aftermath, cancelling: nil)
    case .running: return .lastLeft(nil, cancelling: handle.take())
    case .revoked:
      caller.endsJob = true
      return .lastLeft(nil, cancelling: nil)
    case .gone: return .lastLeft(nil, cancelling: nil)
    }
  }

  /// Who stands in the way of a caller.
  final func blockers(of caller: Waiter, _ state: borrowing LineState) -> Blockers {
    guard caller.isWaiting else { return .nobody }
    guard seat.isWaiting else { return .all([self]) }
    // With its batch's turn come, it waits for room, and any that ends makes some.
    if let batch = seat.home, state.turn.waiter === batch { return .any(batch.nodes) }
    return state.blockers(of: nil, node: line)
  }

  /// The operation has ended, and its result was written down: those who wait have it, and the turn goes on.
  ///
  /// It must not be shared any more (``stopSharing()``).
  @usableFromInline
  package final func land(_ state: inout LineState) -> Aftermath {
    handle = nil
    if phase == .flying { phase = .landed }
    // First, so that where all run on one executor no answer comes after the write behind it, or after `drain()`.
    var wake = Wake.nobody
    waiters.removeAll { caller in
      caller.state = .granted
      wake.add(caller)
    }
    return Aftermath(state.finish(seat), after: wake)
  }
}

/// Where a read stands in its batch.
///
/// Safe like ``Seat``.
@usableFromInline
package final class ReadSeat: Seat, @unchecked Sendable {
  /// Safe because the task of the flight holds it for as long as it has a seat.
  @exclusivity(unchecked) fileprivate(set) unowned(unsafe) var flight: ReadFlight!
  /// Callers that were rejected, to be told of it.
  @exclusivity(unchecked) private var rejected: [Waiter] = []

  package override var node: WaitNode? { flight }

  package override func reject(_ why: JobRejection) {
    super.reject(why)
    turnAway(why)
  }

  package override func revoke(_ why: JobRejection) {
    super.revoke(why)
    turnAway(why)
  }

  private func turnAway(_ why: JobRejection) {
    flight.phase = .abandoned
    flight.stopSharing()
    rejected = flight.waiters.removeAll()
    for caller in rejected { caller.state = .rejected(why) }
  }

  package override func letGo(into wake: inout Wake) {
    super.letGo(into: &wake)
    for caller in rejected { wake.add(caller) }
  }

  package override func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, name: String?, place: Place)] {
    rejected.map { (.left(why), $0.name, place) } + super.endings(why)
  }

  package override func raise(to priority: UInt8) -> [Task<Void, Never>] {
    flight.raise(to: priority).map { [$0] } ?? []
  }

  package override func cancelRunning() -> [Task<Void, Never>] {
    guard flight.isGoingOn else { return [] }
    flight.stopSharing()
    flight.isCancelled = true
    return flight.handle.map { [$0] } ?? []
  }
}
