/// A flight with what belongs to its kind; ``KeptSubmission`` says why the type of each field is a parameter.
///
/// Safe like ``AnyFlight``; `kept` never changes, and `answer` says who writes it.
@usableFromInline
package final class Flight<Kept: KeptOfFlight, Answer>: AnyFlight, @unchecked Sendable {
  @usableFromInline package let number: UInt64
  @exclusivity(unchecked) @usableFromInline var ownWaiters = LinkedList<FlightCaller<Flight>>()
  @usableFromInline package let parking: Waiter?
  @usableFromInline package let kept: Kept
  @usableFromInline let isLent: Bool
  /// The number of the oldest flight whose callers it may have: its own, unless it has replaced others.
  @exclusivity(unchecked) @usableFromInline package var accepted: UInt64
  @exclusivity(unchecked) @usableFromInline var ownBegan: Duration?
  @exclusivity(unchecked) @usableFromInline var ownAnswer: Answer

  /// Creates a flight; its owner takes a `lent` generation back when the operation has ended.
  @_alwaysEmitIntoClient
  package init(
    _ kept: Kept, _ answer: Answer, number: UInt64, name: String?, priority: UInt8, began: Duration? = nil,
    parks: Bool = false, lent: TurnGeneration? = nil
  ) {
    self.number = number
    self.kept = kept
    parking = parks ? Waiter(.submitted) : nil
    accepted = number
    ownBegan = began
    ownAnswer = answer
    isLent = lent != nil
    super.init(name: name, priority: priority, generation: lent ?? .take())
  }

  // See ``AnyFlight``.

  @_alwaysEmitIntoClient
  package var waiters: LinkedList<FlightCaller<Flight>> {
    @inline(__always) _read { yield ownWaiters }
    @inline(__always) _modify { yield &ownWaiters }
  }

  /// By the owner's clock, if that is needed.
  @_alwaysEmitIntoClient
  package var began: Duration? {
    @inline(__always) get { ownBegan }
    @inline(__always) set { ownBegan = newValue }
  }

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
