/// A read that callers share: a flight with a claim on its key, next to other reads.
///
/// Safe like ``AnyFlight``: the line is its owner.
@usableFromInline
package class ReadFlight: AnyFlight, @unchecked Sendable {
  @usableFromInline package final let line: Line
  @usableFromInline package final let read: ReadJob
  /// The result and error types: only reads with equal types are shared.
  @usableFromInline package final let types: ReadTypes
  @exclusivity(unchecked) @usableFromInline final var ownWaiters = WaiterList()

  @_alwaysEmitIntoClient package final var waiters: WaiterList {
    @inline(__always) _read { yield ownWaiters }
    @inline(__always) _modify { yield &ownWaiters }
  }

  /// Creates a read whose operation begins with this priority; the urgency of its caller may be higher.
  @usableFromInline
  package init(line: Line, types: ReadTypes, kind: Job.Kind, name: String?, priority: UInt8, urgency: UInt8) {
    self.line = line
    self.types = types
    read = ReadJob(.submitted, name: name, priority: max(priority, urgency))
    super.init(name: name, priority: priority, generation: .take())
    read.kind = kind
    read.flight = self
    _ = escalate(to: urgency)
  }

  deinit { TurnGeneration.release(generation) }

  /// Code inside the read that waits for the line waits for this read's turn.
  package final override var resource: WaitNode { line }

  @usableFromInline package final override var holder: Job? { read }

  @usableFromInline package final override var label: String { line.label(touching: read) }

  @usableFromInline package final override var stake: Stake? { line.stake(ofJob: read).map { types.joined($0) } }
}

@usableFromInline
package struct ReadTypes: Equatable, Sendable {
  @usableFromInline package let value: ObjectIdentifier
  @usableFromInline package let failure: ObjectIdentifier

  @_alwaysEmitIntoClient package init<Value, Failure: Error>(_: Value.Type, _: Failure.Type) {
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

  override func forEachSharer(_ body: (Waiter) -> Void) { flight?.waiters.forEach(body) }

  override func noteRejection(_ why: JobRejection) {
    super.noteRejection(why)
    if why == .withdrawn { abandon(why) }
  }

  private func abandon(_ why: JobRejection) {
    flight.isDetached = true
    flight.phase = .abandoned
    flight.waiters.removeAll {
      $0.reject(why)
      rejected.append($0)
    }
  }

  override func resume(into effects: inout Effects) {
    super.resume(into: &effects)
    for caller in rejected { effects.resume(caller) }
  }

  override func endings(_ why: JobRejection) -> [(kind: TaskEvent.Kind, of: Waiter, place: Place)] {
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

  override func losePlaces() {
    super.losePlaces()
    flight = nil
  }

  override func cancelRunning() -> Task<Void, Never>? {
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

  @_alwaysEmitIntoClient
  package final var result: Kept {
    @inline(__always) _read { yield ownResult }
    @inline(__always) _modify { yield &ownResult }
  }

  @_alwaysEmitIntoClient
  package init(
    _ result: Kept, line: Line, types: ReadTypes, kind: Job.Kind, name: String?, priority: UInt8, urgency: UInt8
  ) {
    ownResult = result
    super.init(line: line, types: types, kind: kind, name: name, priority: priority, urgency: urgency)
  }
}

@usableFromInline package typealias TypedReadFlight<Value: Sendable> = KeptReadFlight<Result<Value, any Error>?>
