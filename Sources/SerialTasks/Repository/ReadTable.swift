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
  @exclusivity(unchecked) @usableFromInline var flights: [ReadKey<Key>: ReadFlight] = [:]

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

/// A read, and where its key and its result are kept, whose types are parameters by themselves: see ``KeptSubmission``.
///
/// Safe because `result` is written once, before the flight lands under the lock, and read only by those who saw it landed.
@usableFromInline
class KeptReadFlight<ReadKey, Kept>: ReadFlight, @unchecked Sendable {
  @usableFromInline final let key: ReadKey
  @exclusivity(unchecked) @usableFromInline final var result: Kept

  @inlinable
  init(_ key: ReadKey, _ result: Kept, line: Line, name: String?, priority: UInt8, urgency: UInt8) {
    self.key = key
    self.result = result
    super.init(line: line, name: name, priority: priority, urgency: urgency)
  }
}

/// A read with its key and its result.
///
/// Safe because it adds nothing that could change.
@usableFromInline
final class TypedReadFlight<Key: Hashable & Sendable, Value: Sendable, Failure: Error>:
  KeptReadFlight<ReadKey<Key>, Result<Value, Failure>?>, @unchecked Sendable
{
  @inlinable
  init(_ key: ReadKey<Key>, line: Line, name: String?, priority: UInt8, urgency: UInt8) {
    super.init(key, nil, line: line, name: name, priority: priority, urgency: urgency)
  }

  @usableFromInline
  override func stopSharing() { leaveTable() }

  /// The same where the types are known.
  @inlinable
  func leaveTable() {
    // Safe because all batches of a line are made by the same executor.
    guard let batch = seat.home.map({ unsafeDowncast($0, to: ReadBatch<Key>.self) }),
      let index = batch.flights.index(forKey: key), batch.flights.values[index] === self
    else { return }
    if let older = takeOlder() { batch.flights.values[index] = older } else { batch.flights.remove(at: index) }
  }
}
