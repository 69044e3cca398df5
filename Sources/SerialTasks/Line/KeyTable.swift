/// The queues of the keys that jobs touch, each from the first job of its key to the last: a hash table with chains.
///
/// Safe because every mutable property is accessed only under the lock of the line.
@usableFromInline
package class KeyIndex {
  @exclusivity(unchecked) final var capacityPerKey = Int.max
  final var limitPerKey: Int? { capacityPerKey == .max ? nil : capacityPerKey }
  @exclusivity(unchecked) final var slots: Slots?
  @exclusivity(unchecked) final var turns = TurnPool()
  /// As many as a power of two, or none; each queue retains the next one of its bucket.
  @exclusivity(unchecked) @usableFromInline final var buckets: [JobQueue?] = []
  @exclusivity(unchecked) private final var count = 0

  @usableFromInline package init() {}

  /// Makes the job touch every key, by default.
  func prepareLight(_ job: Job, _ state: inout LineState) {}

  /// Returns the first queue of the bucket, if any.
  @_alwaysEmitIntoClient
  final func bucket(of hash: Int) -> JobQueue? {
    buckets.isEmpty ? nil : buckets[index(of: UInt32(truncatingIfNeeded: hash))]
  }

  @_alwaysEmitIntoClient @inline(__always)
  final func index(of hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (buckets.count - 1) }

  @usableFromInline
  final func insert(_ queue: JobQueue) {
    if count == buckets.count { resize(to: max(4, 2 * count)) }
    link(queue)
    count += 1
  }

  @inline(__always)
  private final func link(_ queue: JobQueue) {
    let index = index(of: queue.hash)
    queue.nextInBucket = buckets[index].take()
    buckets[index] = queue
  }

  /// Removes a queue, which owns the table's key and is released after the unlock.
  final func remove(_ queue: JobQueue) {
    let index = index(of: queue.hash)
    let next = queue.nextInBucket.take()
    count -= 1
    if var previous = buckets[index], previous !== queue {
      while let other = previous.nextInBucket, other !== queue { previous = other }
      previous.nextInBucket = next
    } else {
      buckets[index] = next
    }
    if buckets.count > 64, count < buckets.count / 8 { resize(to: buckets.count / 4) }
  }

  @inline(never)
  private final func resize(to size: Int) {
    let old = buckets
    buckets = Array(repeating: nil, count: size)
    for var next in old {
      while let queue = next {
        next = queue.nextInBucket.take()
        link(queue)
      }
    }
  }

  package final var size: (busy: Int, capacity: Int) { (count, buckets.count) }
}

/// The table for keys of one type; safe like ``KeyIndex``.
@usableFromInline
package final class KeyTable<Key: Hashable & Sendable>: KeyIndex, @unchecked Sendable {
  @usableFromInline package typealias Queue = NamedQueue<StableKey<Key>>

  @exclusivity(unchecked) @usableFromInline package internal(set) var lightKeys = Touched<Key>.everyKey

  @_alwaysEmitIntoClient package override init() { super.init() }

  /// Returns the queue of the key, if any job touches it.
  @_alwaysEmitIntoClient
  package subscript(_ key: StableKey<Key>) -> Queue? {
    var next = bucket(of: key.hash)
    while let queue = next {
      // Safe because the queues of this table have this type; a check takes 37 instructions of a free key's 4 600.
      let queue = unsafeDowncast(queue, to: Queue.self)
      if queue.key == key { return queue }
      next = queue.nextInBucket
    }
    return nil
  }

  @_alwaysEmitIntoClient
  package func queue(of key: StableKey<Key>) -> Queue {
    if let queue = self[key] { return queue }
    let queue = Queue(key)
    insert(queue)
    return queue
  }

  override func prepareLight(_ job: Job, _ state: inout LineState) {
    prepare(job, touching: lightKeys, &state)
    lightKeys = .everyKey
  }

  @_alwaysEmitIntoClient
  package func prepare(_ job: Job, touching touched: Touched<Key>, _ state: inout LineState) {
    switch touched {
    case .everyKey: break
    case .one(let key): state.prepare(job, touching: .one(queue(of: key)))
    case .many(let keys):
      let claims = keys.reversed().reduce(nil) { Claim(on: queue(of: $1), sibling: $0) }
      state.prepare(job, touching: claims.map { .several($0) } ?? .none)
    }
  }
}

/// The queue of one key; safe because it adds only immutable fields.
///
/// Its parameter is the type of the field (``KeptSubmission``): to look that up would cost more than all else for a
/// free key.
@usableFromInline
package final class NamedQueue<TableKey: Named & Sendable>: JobQueue, @unchecked Sendable {
  @usableFromInline let key: TableKey

  @_alwaysEmitIntoClient init(_ key: TableKey) {
    self.key = key
    super.init(hashOfKey: key.hash)
  }

  @usableFromInline package override var label: String? { key.name }

  @usableFromInline package override var stakeKey: Stake.Key? { key.stakeKey }
}

@usableFromInline
package protocol Named {
  var name: String { get }
  var hash: Int { get }
  var stakeKey: Stake.Key { get }
}

extension StableKey: Named {
  @usableFromInline package var name: String { "\(key)" }

  @usableFromInline package var stakeKey: Stake.Key { Stake.Key(key, hash: hash) }
}
