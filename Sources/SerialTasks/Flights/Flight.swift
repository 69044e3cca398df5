/// A flight of one kind, with the fields of that kind.
///
/// The type of the field is a separate parameter: see ``KeptSubmission``.
///
/// Safe like ``AnyFlight``; the fields document what protects them.
@usableFromInline
package final class Flight<Kept: KeptOfFlight>: AnyFlight, @unchecked Sendable {
  /// The number of the flight in its owner, in order of creation.
  @usableFromInline package let number: UInt64
  /// Where its task waits to begin, if it may have to wait.
  @usableFromInline package let parking: Waiter?
  @exclusivity(unchecked) @usableFromInline var ownAccepted: UInt64
  @exclusivity(unchecked) @usableFromInline var ownKept: Kept
  /// Whether the generation belongs to the owner.
  @usableFromInline let isLent: Bool

  /// Creates a flight.
  ///
  /// `lent` is a generation that the owner takes back when the operation has ended; `nil` means a new one.
  @inlinable
  package init(
    _ kept: Kept, number: UInt64, name: String?, priority: UInt8, parks: Bool = false, lent: TurnGeneration? = nil
  ) {
    self.number = number
    parking = parks ? Waiter(.submitted) : nil
    ownAccepted = number
    ownKept = kept
    isLent = lent != nil
    super.init(name: name, priority: priority, generation: lent ?? .take())
  }

  // Not the stored properties themselves: another module would check exclusive access to those.

  /// The number of the oldest flight whose callers it may have: its own, unless it has replaced others.
  @_alwaysEmitIntoClient
  package var accepted: UInt64 {
    @inline(__always) get { ownAccepted }
    @inline(__always) set { ownAccepted = newValue }
  }

  @_alwaysEmitIntoClient
  package var kept: Kept {
    @inline(__always) _read { yield ownKept }
    @inline(__always) _modify { yield &ownKept }
  }

  deinit { if !isLent { TurnGeneration.release(generation) } }

  @usableFromInline package override var label: String { kept.label }

  package override var stake: Stake? { kept.stake }
}

/// The fields of one kind of flight.
@usableFromInline
package protocol KeptOfFlight: Sendable {
  /// The flight's name in deadlock errors.
  var label: String { get }

  /// What the flight holds, for `potentialDeadlocks`.
  var stake: Stake? { get }
}
