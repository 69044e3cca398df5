/// A read that callers share: a flight with a claim on its key, next to other reads.
///
/// Safe like ``AnyFlight``: the line is its owner.
@usableFromInline
package class ReadFlight: AnyFlight, @unchecked Sendable {
  @usableFromInline final let line: Line
  @usableFromInline package final let read: ReadJob
  /// The result and error types: only reads with equal types are shared.
  @usableFromInline package final let types: ReadTypes
  @exclusivity(unchecked) package final var waiters = WaiterList()

  /// Creates a read whose operation begins with this priority; the urgency of its caller may be higher.
  @usableFromInline
  package init(line: Line, types: ReadTypes, name: String?, priority: UInt8, urgency: UInt8) {
    self.line = line
    self.types = types
    read = ReadJob(.submitted, name: name, priority: max(priority, urgency))
    super.init(name: name, priority: priority, generation: .take())
    read.flight = self
    _ = escalate(to: urgency)
  }

  deinit { TurnGeneration.release(generation) }

  /// Code inside the read that waits for the line waits for this read's turn.
  package final override var resource: WaitNode { line }

  package final override var holder: Job? { read }

  @usableFromInline package final override var label: String { line.label(touching: read) }

  package final override var stake: Stake? { line.stake(ofJob: read).map { types.joined($0) } }
}

@usableFromInline
package struct ReadTypes: Equatable, Sendable {
  @usableFromInline let value: ObjectIdentifier
  @usableFromInline let failure: ObjectIdentifier

  @inlinable
  package init<Value, Failure: Error>(_: Value.Type, _: Failure.Type) {
    value = ObjectIdentifier(Value.self)
    failure = ObjectIdentifier(Failure.self)
  }
}

extension ReadTypes {
  /// Returns what a read of these types holds, and what a call requests that may join it.
  package func joined(_ stake: Stake) -> Stake {
    var stake = stake
    stake.mode = .joined(value: value, failure: failure)
    return stake
  }

  /// Returns the request of a call that leaves unless it can join a running read.
  package func joining(_ stake: Stake) -> Stake {
    var stake = stake
    stake.mode = .joins(value: value, failure: failure)
    stake.slots = nil
    return stake
  }
}

// MARK: - Boarding

/// All of these are called under the lock of the line.
extension ReadFlight {
  @usableFromInline
  package final func arrive(
    on queue: JobQueue, _ kind: Job.Kind, _ caller: Waiter, _ state: inout LineState, _ effects: inout Effects
  ) -> Arrival {
    read.kind = kind
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
    guard case .run = state.begin(read) else { return false }
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

/// Represents all callers of a read in its line.
///
/// Safe like ``Waiter``.
@usableFromInline
package final class ReadJob: Job, @unchecked Sendable {
  /// The flight, until it loses its places; retained besides by its task, or the call that creates that.
  @exclusivity(unchecked) @usableFromInline fileprivate(set) package var flight: ReadFlight!
  @exclusivity(unchecked) private var rejected: [Waiter] = []

  @usableFromInline package override var node: WaitNode? { flight }

  override var hasSharers: Bool { true }

  package override func forEachSharer(_ body: (Waiter) -> Void) { flight?.waiters.forEach(body) }

  package override func noteRejection(_ why: JobRejection) {
    super.noteRejection(why)
    if why == .withdrawn { abandon(why) }
  }

  private func abandon(_ why: JobRejection) {
    flight.isDetached = true
    flight.phase = .abandoned
    rejected = flight.waiters.removeAll()
    for caller in rejected { caller.reject(why) }
  }

  package override func resume(into effects: inout Effects) {
    super.resume(into: &effects)
    for caller in rejected { effects.resume(caller) }
  }

  package override func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, of: Waiter, place: Place)] {
    rejected.map { (.left(why), $0, place) } + super.endings(why)
  }

  package override func settle(rejected why: JobRejection) {
    let callers = rejected
    // A submitted read retains its flight, which retains this.
    rejected = []
    for caller in callers { caller.settle(rejected: why) }
  }

  /// May be called after the read has ended, on behalf of a job that it blocked.
  package override func escalate(to priority: UInt8) -> Task<Void, Never>? { flight?.escalate(to: priority) }

  package override func losePlaces() {
    super.losePlaces()
    flight = nil
  }

  package override func cancelRunning() -> Task<Void, Never>? {
    guard flight.isGoingOn else { return nil }
    flight.isDetached = true
    flight.waiters.forEach { if $0.isSubmitted { $0.isCancelled = true } }
    return flight.handle
  }
}

/// A read and its result, whose type is a parameter: see ``KeptSubmission``.
///
/// Safe because `result` is written once, before the flight lands under the lock, and read only after that.
@usableFromInline
package class KeptReadFlight<Kept>: ReadFlight, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline final var ownResult: Kept

  /// Like ``AnyFlight/phase``.
  @_alwaysEmitIntoClient
  package final var result: Kept {
    @inline(__always) _read { yield ownResult }
    @inline(__always) _modify { yield &ownResult }
  }

  @inlinable
  package init(_ result: Kept, line: Line, types: ReadTypes, name: String?, priority: UInt8, urgency: UInt8) {
    ownResult = result
    super.init(line: line, types: types, name: name, priority: priority, urgency: urgency)
  }
}

@usableFromInline package typealias TypedReadFlight<Value: Sendable> = KeptReadFlight<Result<Value, any Error>?>
