import Synchronization

/// One shared operation, and the callers that wait for it.
///
/// ```
///               begin                  land
///   boarding ──────────► flying ───────────────────► landed    the result is published to all who wait
///      │                    │
///      │ the last caller leaves, withdraw                      an operation that has not begun never does; one that has
///      └────────────────────┴──────────────────────► abandoned is cancelled, and what it returns goes nowhere
/// ```
///
/// Safe because every mutable property is reached only under the lock of what the flight belongs to.
@usableFromInline
package class AnyFlight: WaitNode, @unchecked Sendable {
  @usableFromInline
  package enum Phase: Sendable { case boarding, flying, landed, abandoned }

  /// The job's name, for events and for its task.
  @usableFromInline package final let name: String?
  /// The priority that its operation begins with.
  @usableFromInline final let priority: UInt8

  @exclusivity(unchecked) @usableFromInline final var ownPhase = Phase.boarding {
    didSet { if ownPhase == .abandoned { unwanted.store(true, ordering: .relaxed) } }
  }
  /// Whether it is abandoned, for those who do not have the lock: it makes no difference whether they learn it a little later.
  private final let unwanted = Atomic(false)
  @exclusivity(unchecked) @usableFromInline final var ownWaiters = WaiterList()
  /// The highest priority of all callers that ever waited; never falls.
  @exclusivity(unchecked) @usableFromInline package final var raisedTo: UInt8
  @exclusivity(unchecked) @usableFromInline final var ownHandle: Task<Void, Never>?
  /// Whether its task is to be cancelled, though callers still wait for it.
  @exclusivity(unchecked) final var isCancelled = false

  @usableFromInline
  package init(name: String?, priority: UInt8, generation: TurnGeneration) {
    self.name = name
    self.priority = priority
    self.raisedTo = priority
    super.init(generation: generation)
  }

  // Not the stored properties themselves: another module does not see that accesses to those are not checked.

  @_alwaysEmitIntoClient
  package final var phase: Phase {
    @inline(__always) get { ownPhase }
    @inline(__always) set { ownPhase = newValue }
  }

  /// The callers that wait for it, in the order in which they came.
  @_alwaysEmitIntoClient
  package final var waiters: WaiterList {
    @inline(__always) _read { yield ownWaiters }
    @inline(__always) _modify { yield &ownWaiters }
  }

  /// The task of the operation, once it has been made and while it may be raised or cancelled.
  @_alwaysEmitIntoClient
  package final var handle: Task<Void, Never>? {
    @inline(__always) _read { yield ownHandle }
    @inline(__always) _modify { yield &ownHandle }
  }

  package final override var job: String? { name }

  package final override var isUnwanted: Bool { unwanted.load(ordering: .relaxed) }

  /// Whether it can still be joined, left and withdrawn.
  @usableFromInline package final var isGoingOn: Bool { phase == .boarding || phase == .flying }
}

// MARK: - Events

extension AnyFlight {
  /// Notes that the task runs; returns whether its operation is still wanted.
  @usableFromInline
  package final func begin() -> Bool {
    guard phase == .boarding else { return false }
    phase = .flying
    return true
  }

  /// Raises it for a caller of this priority; returns the task to be raised, if that is known and not as urgent already.
  ///
  /// A joiner may come before the task is known; who makes it known raises it (``attach(_:)``).
  @usableFromInline
  package final func escalate(to priority: UInt8) -> Task<Void, Never>? {
    guard raisedTo < priority else { return nil }
    raisedTo = priority
    return handle
  }

  /// What is to be done with the task that was made for the flight.
  @usableFromInline
  package enum Attachment: Sendable, Equatable {
    case nothing
    /// It has ended already.
    case landed
    /// For callers that joined before it was known.
    case escalate(to: UInt8)
    /// No caller wants it any more.
    case cancel
  }

  /// Keeps the task of the operation, which may run already, or have run.
  @usableFromInline
  package final func attach(_ task: Task<Void, Never>) -> Attachment {
    switch phase {
    case .landed: return .landed
    case .abandoned: return .cancel
    case .boarding, .flying:
      handle = task
      if isCancelled { return .cancel }
      return raisedTo > priority ? .escalate(to: raisedTo) : .nothing
    }
  }
}

extension Task where Failure == Never {
  /// Makes the task of a flight, which goes on to its first suspension at once where the system can, unless it must not.
  ///
  /// The marker is bound around the making of the task, which takes it along with all other task-locals: to bind it in the
  /// task would cost a closure and two switches of executor more. The operation has to begin with ``TurnMarker/bindAddress()``.
  @_alwaysEmitIntoClient @inline(__always)
  package static func starting(
    _ flight: AnyFlight, _ marker: TurnMarker, now: Bool = true,
    _ operation: sending @escaping @isolated(any) () async -> Success
  ) -> Task<Success, Never> {
    // Safe because the closure is only handed on, once.
    nonisolated(unsafe) let operation = operation
    return TurnMarker.key.withValue(marker) {
      // The priority is said, not inherited: a task inherits what its parent began with, and not what that was raised to since.
      // Operations may lead flights whose operations lead flights: not all of them fit on one stack.
      .starting(
        now: now && !marker.isDeep, name: flight.name, priority: TaskPriority(rawValue: flight.priority), operation)
    }
  }
}
