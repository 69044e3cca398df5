/// A flight, its key, and where its result is kept, whose types are parameters by themselves: see ``KeptSubmission``.
///
/// Safe like ``Flight``, but for `result`, which says why.
@usableFromInline
package class KeptFlight<KeptKey, Kept>: Flight, @unchecked Sendable {
  @usableFromInline package final let key: KeptKey
  /// Safe because it is written once, before the flight lands under the lock, and read only after that.
  @exclusivity(unchecked) @usableFromInline package final var result: Kept

  @inlinable
  init(_ key: KeptKey, _ result: Kept, name: String?, priority: UInt8, generation: TurnGeneration) {
    self.key = key
    self.result = result
    super.init(name: name, priority: priority, generation: generation)
  }
}

/// A flight of a coalescer.
///
/// While it goes on it is joined by callers of its key unless it is *detached*: invalidated, or older than the join window.
/// Then those on board still get their answer, and nothing of it is stored.
///
/// Safe because every mutable property is reached only under the lock of the coalescer, but for `result`, which says why.
@usableFromInline
package final class CoalescedFlight<Key: Hashable & Sendable, Value: Sendable>:
  KeptFlight<StableKey<Key>, Result<Value, any Error>?>, @unchecked Sendable
{
  /// Which flight of its coalescer it is; later ones have higher numbers.
  @usableFromInline package let number: UInt64
  /// Its coalescer: two fields, because an optional structure in a generic type is copied through its witnesses.
  @usableFromInline let coalescer: ObjectIdentifier?
  @usableFromInline let coalescerName: String?
  /// When it began, by the coalescer's clock, if that was asked for.
  @usableFromInline package let began: Duration
  /// How long the result is kept if no caller waits for it; `nil` unless it is a prefetch.
  @usableFromInline package let expiresAfter: Duration?

  @exclusivity(unchecked) @usableFromInline package var isDetached = false

  @inlinable
  package init(_ request: borrowing FlightRequest<Key>, number: UInt64, generation: TurnGeneration) {
    self.number = number
    self.coalescer = request.coalescer
    self.coalescerName = request.coalescerName
    self.began = request.now ?? .zero
    self.expiresAfter = request.expiresAfter
    let key = request.key.numbered(number)
    super.init(key, nil, name: request.name, priority: request.priority, generation: generation)
  }

  @usableFromInline package var isPrefetch: Bool { expiresAfter != nil }

  /// Whether it was a prefetch and failed, which is none of its callers' doing.
  @_alwaysEmitIntoClient var isFailedPrefetch: Bool {
    if isPrefetch, case .failure = result { true } else { false }
  }

  package override var label: String { "\(Self.label(coalescerName, coalescer))[\(key.key)]" }

  /// Returns what its coalescer is called.
  static func label(_ name: String?, _ coalescer: ObjectIdentifier?) -> String {
    let type = "TaskCoalescer<\(Key.self), \(Value.self)>"
    return name ?? coalescer.map { WaitNode.shortID(type, of: $0) } ?? type
  }

  package override var stake: Stake? { Self.stake(coalescerName, coalescer, key) }

  /// Returns what a flight of the key keeps from others, which join it.
  static func stake(_ name: String?, _ coalescer: ObjectIdentifier?, _ key: StableKey<Key>) -> Stake? {
    coalescer.map {
      Stake($0, label: label(name, coalescer), keys: [Stake.Key(key.key, hash: key.hash)])
    }
  }
}

/// What a caller asks for, and what its flight would be like if it had to lead.
@usableFromInline
package struct FlightRequest<Key: Hashable & Sendable>: Sendable {
  @usableFromInline let key: StableKey<Key>
  /// Whose flight it would be.
  @usableFromInline let coalescer: ObjectIdentifier?
  @usableFromInline let coalescerName: String?
  @usableFromInline let name: String?
  @usableFromInline let priority: UInt8
  @usableFromInline let expiresAfter: Duration?
  /// When it came, by the coalescer's clock; `nil` until the time is needed.
  @usableFromInline package var now: Duration?

  @inlinable
  package init(
    key: StableKey<Key>, coalescer: ObjectIdentifier? = nil, coalescerName: String? = nil, name: String? = nil,
    priority: UInt8 = 0, expiresAfter: Duration? = nil, now: Duration? = nil
  ) {
    self.key = key
    self.coalescer = coalescer
    self.coalescerName = coalescerName
    self.name = name
    self.priority = priority
    self.expiresAfter = expiresAfter
    self.now = now
  }
}
