/// A flight of one kind, with what that kind keeps of each.
///
/// The type of the field is a parameter by itself: see ``KeptSubmission``.
///
/// Safe like ``AnyFlight``: what is kept says for itself what it is behind.
@usableFromInline
package final class Flight<Kept: KeptOfFlight>: AnyFlight, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var ownKept: Kept
  /// Whether its generation is its owner's.
  @usableFromInline let isLent: Bool

  /// Makes a flight.
  ///
  /// `lent` is a generation that its owner takes back when the operation has ended; `nil` gives it one of its own.
  @inlinable
  package init(_ kept: Kept, name: String?, priority: UInt8, lent: TurnGeneration? = nil) {
    ownKept = kept
    isLent = lent != nil
    super.init(name: name, priority: priority, generation: lent ?? .take())
  }

  /// Not the stored property itself: another module does not see that accesses to that are not checked.
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
