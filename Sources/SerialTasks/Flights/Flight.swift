/// A flight of one kind, with what belongs to that kind.
///
/// The type of each field is a separate parameter: see ``KeptSubmission``.
///
/// Safe like ``AnyFlight``; `kept` never changes, and `answer` says who writes it.
@usableFromInline
package final class Flight<Kept: KeptOfFlight, Answer>: AnyFlight, @unchecked Sendable {
  /// The number of the flight in its owner, in order of creation.
  @usableFromInline package let number: UInt64
  /// Where its task waits to begin, if it may have to wait.
  @usableFromInline package let parking: Waiter?
  @usableFromInline package let kept: Kept
  /// Whether the generation belongs to the owner.
  @usableFromInline let isLent: Bool
  @exclusivity(unchecked) @usableFromInline var ownAccepted: UInt64
  @exclusivity(unchecked) @usableFromInline var ownBegan: Duration?
  @exclusivity(unchecked) @usableFromInline var ownAnswer: Answer

  /// Creates a flight.
  ///
  /// `lent` is a generation that the owner takes back when the operation has ended; `nil` means a new one.
  @inlinable
  package init(
    _ kept: Kept, _ answer: Answer, number: UInt64, name: String?, priority: UInt8, began: Duration? = nil,
    parks: Bool = false, lent: TurnGeneration? = nil
  ) {
    self.number = number
    self.kept = kept
    parking = parks ? Waiter(.submitted) : nil
    ownAccepted = number
    ownBegan = began
    ownAnswer = answer
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

  /// When it began, on the owner's clock; `nil` if the owner need not know, or it has not begun.
  @_alwaysEmitIntoClient
  package var began: Duration? {
    @inline(__always) get { ownBegan }
    @inline(__always) set { ownBegan = newValue }
  }

  /// What the operation has returned or thrown.
  ///
  /// Written once, before the flight lands under the lock, and read only after that.
  @_alwaysEmitIntoClient
  package var answer: Answer {
    @inline(__always) _read { yield ownAnswer }
    @inline(__always) _modify { yield &ownAnswer }
  }

  deinit { if !isLent { TurnGeneration.release(generation) } }

  @usableFromInline package override var label: String { kept.label }

  package override var stake: Stake? { kept.stake }
}

@usableFromInline
package protocol KeptOfFlight: Sendable {
  var label: String { get }

  var stake: Stake? { get }
}
