/// One running operation of a coalescer, and those who wait for it.
///
/// ```
///              land                               the result is published to all who wait
///   flying ───────────► landed
///     │
///     │ the last caller leaves, withdraw          the operation is cancelled
///     └───────────────► abandoned                 and what it returns goes nowhere
/// ```
///
/// While it flies it is joined by callers of its key unless it is *detached*: invalidated, or older than the join window. Then
/// those on board still get their answer, and nothing of it is stored.
///
/// Safe because every mutable property is reached only under the lock of the coalescer, but for `result`, which says why.
@usableFromInline
package final class Flight<Key: Hashable & Sendable, Value: Sendable>: TurnHolder, @unchecked Sendable {
  @usableFromInline
  package enum Phase: Sendable { case flying, landed, abandoned }

  @usableFromInline package let key: Key
  @usableFromInline let coalescer: String?
  /// The job's name, for events and for its task.
  @usableFromInline let name: String?
  /// The priority that its operation begins with.
  @usableFromInline let priority: UInt8
  /// When it began, by the coalescer's clock.
  @usableFromInline package let began: Duration
  /// How long the result is kept if nobody waits for it; `nil` unless it is a prefetch.
  @usableFromInline package let expiresAfter: Duration?

  @usableFromInline package var phase = Phase.flying
  @usableFromInline package var isDetached = false
  @usableFromInline package var waiters = WaiterList()
  @usableFromInline var raisedTo: UInt8
  @usableFromInline var handle: Task<Void, Never>?

  /// Safe because it is written once, before the flight lands under the lock, and read only by those who saw it landed.
  @usableFromInline package var result: Result<Value, any Error>?

  @inlinable
  package init(
    key: Key, coalescer: String? = nil, name: String? = nil, priority: UInt8 = 0, began: Duration = .zero,
    expiresAfter: Duration? = nil
  ) {
    self.key = key
    self.coalescer = coalescer
    self.name = name
    self.priority = priority
    self.raisedTo = priority
    self.began = began
    self.expiresAfter = expiresAfter
  }

  /// Tells two flights of one key apart in events.
  @usableFromInline var number: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self)) >> 4) }

  @usableFromInline package var isPrefetch: Bool { expiresAfter != nil }

  package override var label: String { "\(coalescer ?? "TaskCoalescer<\(Key.self), \(Value.self)>")[\(key)]" }
}
