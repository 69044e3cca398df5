/// A flight of one kind, with what that kind keeps of each.
///
/// The type of the field is a parameter by itself: see ``KeptSubmission``.
///
/// Safe like ``AnyFlight``: what is kept says for itself what it is behind.
@usableFromInline
package final class Flight<Kept: KeptOfFlight>: AnyFlight, @unchecked Sendable {
  /// Which flight of its owner it is; later ones have higher numbers.
  @usableFromInline package let number: UInt64
  /// Where its task waits until it may begin, if it may have to.
  @usableFromInline package let parking: Waiter?
  @exclusivity(unchecked) @usableFromInline var ownAccepted: UInt64
  @exclusivity(unchecked) @usableFromInline var ownKept: Kept
  /// Whether its generation is its owner's.
  @usableFromInline let isLent: Bool

  /// Makes a flight.
  ///
  /// `lent` is a generation that its owner takes back when the operation has ended; `nil` gives it one of its own.
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

  // Not the stored properties themselves: another module does not see that accesses to those are not checked.

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

/// What one kind of flight keeps of each.
@usableFromInline
package protocol KeptOfFlight: Sendable {
  /// What a deadlock calls the flight.
  var label: String { get }

  /// What the flight keeps from others, as a test sees it that watches.
  var stake: Stake? { get }
}
