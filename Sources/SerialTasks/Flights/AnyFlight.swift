import Synchronization

/// One shared operation, and the callers that wait for it.
///
/// ```
///               begin                  land
///   boarding ──────────► flying ───────────────────► landed    the callers get the result
///      │                    │
///      │ the last caller leaves, withdraw                      an operation that has not begun never does; one that has
///      └────────────────────┴──────────────────────► abandoned is cancelled, and its result is discarded
/// ```
///
/// Safe because the lock of the flight's owner protects every mutable property.
@usableFromInline
package class AnyFlight: WaitNode, @unchecked Sendable {
  @usableFromInline
  package enum Phase: Sendable { case boarding, flying, landed, abandoned }

  @usableFromInline package final let name: String?
  @usableFromInline final let priority: UInt8

  @exclusivity(unchecked) @usableFromInline final var ownPhase = Phase.boarding {
    didSet { if ownPhase == .abandoned { unwanted.store(true, ordering: .relaxed) } }
  }
  /// Whether it is abandoned; code without the lock may see this a little later.
  private final let unwanted = Atomic(false)
  /// The highest priority of all callers so far; never falls.
  @exclusivity(unchecked) @usableFromInline package final var raisedTo: UInt8
  @exclusivity(unchecked) @usableFromInline final var ownHandle: Task<Void, Never>?
  @exclusivity(unchecked) @usableFromInline final var ownDetachment = false
  @exclusivity(unchecked) @usableFromInline final var ownPermanence = false
  /// Whether its operation is so deeply nested that it is cancelled in a task of its own.
  @exclusivity(unchecked) package private(set) final var isDeep = false

  @usableFromInline
  package init(name: String?, priority: UInt8, generation: TurnGeneration) {
    self.name = name
    self.priority = priority
    self.raisedTo = priority
    super.init(generation: generation)
  }

  // Another module would check exclusive access to the stored properties.

  @_alwaysEmitIntoClient
  package final var phase: Phase {
    @inline(__always) get { ownPhase }
    @inline(__always) set { ownPhase = newValue }
  }

  /// The task while it can be raised or cancelled, known before the operation's first instruction.
  @_alwaysEmitIntoClient
  package final var handle: Task<Void, Never>? {
    @inline(__always) _read { yield ownHandle }
    @inline(__always) _modify { yield &ownHandle }
  }

  @_alwaysEmitIntoClient
  package final var isDetached: Bool {
    @inline(__always) get { ownDetachment }
    @inline(__always) set { ownDetachment = newValue }
  }

  @_alwaysEmitIntoClient
  package final var staysWanted: Bool {
    @inline(__always) get { ownPermanence }
    @inline(__always) set { ownPermanence = newValue }
  }

  package final override var job: String? { name }

  package final override var isUnwanted: Bool { unwanted.load(ordering: .relaxed) }

  @usableFromInline package final var isGoingOn: Bool { phase == .boarding || phase == .flying }
}

extension AnyFlight {
  /// Returns whether the operation is still wanted.
  @usableFromInline
  package final func begin(in task: TaskReference?) -> Bool {
    guard phase == .boarding else { return false }
    phase = .flying
    if handle == nil { handle = task?.retained }
    return true
  }

  /// Raises the flight for a caller; returns its task if that is to be raised, and known: otherwise
  /// ``attach(_:isDeep:)`` raises it.
  @usableFromInline
  package final func escalate(to priority: UInt8) -> Task<Void, Never>? {
    guard raisedTo < priority else { return nil }
    raisedTo = priority
    return handle
  }

  /// Stores the task, which may have ended; returns the priority to raise it to, if any.
  @usableFromInline
  package final func attach(_ task: Task<Void, Never>, isDeep: Bool) -> UInt8? {
    self.isDeep = isDeep
    guard isGoingOn else { return nil }
    if handle == nil { handle = task }
    return raisedTo > priority ? raisedTo : nil
  }
}

extension TaskReference {
  /// Safe because the task has not ended, and `Task` is one reference to it, and frozen.
  fileprivate var retained: Task<Void, Never> { unsafeBitCast(word, to: Task<Void, Never>.self) }
}

extension Task where Failure == Never {
  /// Creates the task of a flight; it runs to its first suspension at once if `now`, and where the system can.
  ///
  /// The marker is bound around the creation: inside the task, that would cost a closure and two executor switches. The
  /// operation must begin with ``TurnMarker/bindAddress()``.
  @_alwaysEmitIntoClient @inline(__always)
  package static func starting(
    _ flight: AnyFlight, _ marker: TurnMarker, now: Bool = true,
    _ operation: sending @escaping @isolated(any) () async -> Success
  ) -> Task<Success, Never> {
    // Safe because the closure is passed on once.
    nonisolated(unsafe) let operation = operation
    return TurnMarker.key.withValue(marker) {
      // A task inherits its parent's base priority, not its raised one. Nested flights that start at once do not all
      // fit on one stack.
      .starting(
        now: now && !marker.isDeep, name: flight.name, priority: TaskPriority(rawValue: flight.priority), operation)
    }
  }
}
