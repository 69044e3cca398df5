/// A flight of a coalescer.
///
/// Callers of its key join it until it is *detached*: invalidated, or older than the join window. Then it still answers
/// its callers, and its result is not kept.
@usableFromInline
package typealias CoalescedFlight<Key: Hashable & Sendable, Value: Sendable> =
  Flight<KeyOfFlight<StableKey<Key>>, Result<Value, any Error>?>

/// For the parameter, see ``KeptSubmission``.
@usableFromInline
package struct KeyOfFlight<Key: Named & Sendable>: KeptOfFlight {
  @usableFromInline package let key: Key
  /// Three fields, because an optional struct in a generic type is copied through value witnesses.
  @usableFromInline let coalescer: ObjectIdentifier?
  @usableFromInline let coalescerName: String?
  @usableFromInline let coalescerType: Any.Type
  /// How long a prefetched result is kept if no caller waits for it.
  @usableFromInline package let expiresAfter: Duration?

  @inlinable
  package init<Asked: Hashable & Sendable>(
    _ request: borrowing FlightRequest<Asked>, of coalescerType: Any.Type, _ key: Key
  ) {
    self.key = key
    self.coalescer = request.coalescer
    self.coalescerName = request.coalescerName
    self.coalescerType = coalescerType
    self.expiresAfter = request.expiresAfter
  }

  private var coalescerLabel: String {
    coalescerName ?? coalescer.map { WaitNode.shortID("\(coalescerType)", of: $0) } ?? "\(coalescerType)"
  }

  @usableFromInline package var label: String { "\(coalescerLabel)[\(key.name)]" }

  @usableFromInline package var stake: Stake? {
    coalescer.map { Stake($0, label: coalescerLabel, keys: [key.stakeKey]) }
  }
}

@usableFromInline
package struct FlightRequest<Key: Hashable & Sendable>: ~Copyable, Sendable {
  @usableFromInline let key: StableKey<Key>
  @usableFromInline let policy: SharingPolicy
  @usableFromInline let coalescer: ObjectIdentifier?
  @usableFromInline let coalescerName: String?
  @usableFromInline let name: String?
  @usableFromInline let priority: UInt8
  @usableFromInline let expiresAfter: Duration?
  /// By the coalescer's clock.
  @usableFromInline let now: Duration

  @inlinable
  package init(
    key: StableKey<Key>, policy: SharingPolicy = .join, coalescer: ObjectIdentifier? = nil,
    coalescerName: String? = nil,
    name: String? = nil, priority: UInt8 = 0, expiresAfter: Duration? = nil, now: Duration = .zero
  ) {
    self.key = key
    self.policy = policy
    self.coalescer = coalescer
    self.coalescerName = coalescerName
    self.name = name
    self.priority = priority
    self.expiresAfter = expiresAfter
    self.now = now
  }
}
