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

/// The reads of one executor that can be joined, now or again, by key: of equal ones the youngest, which knows the next older.
///
/// Equal reads that are not one have a write between them, and those before it are joined again if it leaves. A read is here for
/// as long as it can be joined, and not until it has ended.
///
/// The table's instance of a key is that of the read which it leads to, and a read takes itself out under the lock before its
/// task releases it: so neither a key nor a read is released under the lock.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
final class ReadTable<TableKey: Hashable & Sendable>: @unchecked Sendable {
  @usableFromInline typealias Read = TableRead<TableKey>

  @exclusivity(unchecked) @usableFromInline var youngest: [TableKey: Read] = [:]
  /// How many reads have come.
  @exclusivity(unchecked) @usableFromInline var reads: UInt64 = 0

  @inlinable
  init() {}

  /// The read that a caller in this batch joins, if there is one.
  @inlinable
  func joinable(_ key: TableKey, in batch: Batch?) -> Read? {
    guard let batch, let read = youngest[key], read.seat.home === batch else { return nil }
    return read
  }

  @inlinable
  func insert(_ read: Read) {
    read.isShared = true
    if let index = youngest.index(forKey: read.key) {
      let older = youngest.remove(at: index).value
      read.older = older
      older.younger = read
    }
    youngest[read.key] = read
  }

  @inlinable
  func remove(_ read: Read) {
    guard read.isShared else { return }
    read.isShared = false
    let (younger, older) = (read.younger.take(), read.older.take())
    older?.younger = younger
    if let younger {
      younger.older = older
    } else if let index = youngest.index(of: read, for: read.key) {
      youngest.remove(at: index)
      if let older { youngest[older.key] = older } else { youngest.shrinkIfSparse() }
    }
  }
}

/// A read with its key, as it is in the table.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
class TableRead<TableKey: Hashable & Sendable>: ReadFlight, @unchecked Sendable {
  @usableFromInline final let key: TableKey
  @usableFromInline final let table: ReadTable<TableKey>
  /// Whether it is in the table.
  @exclusivity(unchecked) @usableFromInline final var isShared = false
  /// Its neighbours among equal reads in the table.
  @exclusivity(unchecked) @usableFromInline final var older: TableRead?
  /// Safe because each takes itself out of the table before it ends.
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var younger: TableRead?

  @inlinable
  init(_ key: TableKey, in table: ReadTable<TableKey>, line: Line, name: String?, priority: UInt8, urgency: UInt8) {
    self.key = key
    self.table = table
    super.init(line: line, name: name, priority: priority, urgency: urgency)
  }

  @usableFromInline
  package override func stopSharing() { table.remove(self) }
}

/// A read, and where its result is kept, whose type is a parameter by itself: see ``KeptSubmission``.
///
/// Safe because `result` is written once, before the flight lands under the lock, and read only by those who saw it landed.
@usableFromInline
class KeptReadFlight<TableKey: Hashable & Sendable, Kept>: TableRead<TableKey>, @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline final var result: Kept

  @inlinable
  init(
    _ result: Kept, _ key: TableKey, in table: ReadTable<TableKey>, line: Line, name: String?, priority: UInt8,
    urgency: UInt8
  ) {
    self.result = result
    super.init(key, in: table, line: line, name: name, priority: priority, urgency: urgency)
  }
}

/// A read with its key and its result.
///
/// Safe because it adds nothing.
@usableFromInline
final class TypedReadFlight<Key: Hashable & Sendable, Value: Sendable, Failure: Error>:
  KeptReadFlight<StableKey<ReadKey<Key>>, Result<Value, Failure>?>, @unchecked Sendable
{
  @inlinable
  init(
    _ key: StableKey<ReadKey<Key>>, in table: ReadTable<StableKey<ReadKey<Key>>>, line: Line, name: String?,
    priority: UInt8, urgency: UInt8
  ) {
    super.init(nil, key, in: table, line: line, name: name, priority: priority, urgency: urgency)
  }
}
