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
  @usableFromInline package final let priority: UInt8

  @exclusivity(unchecked) @usableFromInline final var ownPhase = Phase.boarding {
    didSet { if ownPhase == .abandoned { unwanted.store(true, ordering: .relaxed) } }
  }
  /// Whether it is abandoned; code without the lock may see this a little later.
  private final let unwanted = Atomic(false)
  /// The highest priority of all callers so far; never falls.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var raisedTo: UInt8
  @exclusivity(unchecked) @usableFromInline final var ownHandle: Task<Void, Never>?
  @exclusivity(unchecked) @usableFromInline final var ownDetachment = false
  @exclusivity(unchecked) @usableFromInline final var ownPermanence = false
  @exclusivity(unchecked) @usableFromInline final var ownDepth = false

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

  final override var isUnwanted: Bool { unwanted.load(ordering: .relaxed) }

  /// Whether its operation is so deeply nested that it is cancelled in a task of its own.
  @_alwaysEmitIntoClient package final var isDeep: Bool {
    @inline(__always) get { ownDepth }
    @inline(__always) set { ownDepth = newValue }
  }

  @usableFromInline package final var isGoingOn: Bool { phase == .boarding || phase == .flying }
}

extension AnyFlight {
  /// Raises the flight for a caller; returns its task if that is to be raised, and known: what stores it later raises it.
  @usableFromInline
  package final func escalate(to priority: UInt8) -> Task<Void, Never>? {
    guard raisedTo < priority else { return nil }
    raisedTo = priority
    return handle
  }
}
