/// What makes two reads one: the key, and the types of what they return and throw.
@usableFromInline
struct ReadKey<Key: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline let key: Key
  @usableFromInline let value: ObjectIdentifier
  @usableFromInline let failure: ObjectIdentifier

  @inlinable
  init<Value, Failure: Error>(_ key: Key, _: Value.Type, _: Failure.Type) {
    self.key = key
    value = ObjectIdentifier(Value.self)
    failure = ObjectIdentifier(Failure.self)
  }
}

/// A batch of reads, with what can be joined in it.
///
/// It belongs to the batch and to nothing else, so whatever a caller finds here has no write between itself and the caller.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
final class ReadBatch<Key: Hashable & Sendable>: Batch, @unchecked Sendable {
  @usableFromInline var flights: [ReadKey<Key>: ReadFlight] = [:]

  @usableFromInline
  override init(limit: Int?, priority: UInt8) { super.init(limit: limit, priority: priority) }

  override func stopSharing() { flights = [:] }

  override func takeOver(from next: Batch) {
    // Safe because all batches of a line are made by the same executor.
    let next = unsafeDowncast(next, to: ReadBatch.self)
    flights.merge(next.flights) { older, younger in
      younger.standsBefore(older)
      return younger
    }
    next.flights = [:]
  }
}

/// A read with its key and its result.
///
/// Safe because `result` is written once, before the flight lands under the lock, and read only by those who saw it landed.
@usableFromInline
final class TypedReadFlight<Key: Hashable & Sendable, Value: Sendable, Failure: Error>:
  ReadFlight, @unchecked Sendable
{
  @usableFromInline let key: ReadKey<Key>
  @usableFromInline var result: Result<Value, Failure>?

  @usableFromInline
  init(_ key: ReadKey<Key>, line: Line, name: String?, priority: UInt8, urgency: UInt8) {
    self.key = key
    super.init(line: line, name: name, priority: priority, urgency: urgency)
  }

  override func stopSharing() {
    // Safe because all batches of a line are made by the same executor.
    guard let batch = seat.home.map({ unsafeDowncast($0, to: ReadBatch<Key>.self) }) else { return }
    if batch.flights[key] === self { batch.flights[key] = takeOlder() }
  }
}
