/// The keys of a line, for code that does not depend on their type.
///
/// Safe because every mutable property is accessed only under the lock of the line.
@usableFromInline
package class KeyIndex {
  @exclusivity(unchecked) final var capacityPerKey = Int.max
  final var limitPerKey: Int? { capacityPerKey == .max ? nil : capacityPerKey }
  @exclusivity(unchecked) final var slots: Slots?
  @exclusivity(unchecked) final var turns = TurnPool()

  @usableFromInline package init() {}

  /// Makes the job touch every key, by default.
  func prepareLight(_ job: Job, _ state: inout LineState) {}

  @usableFromInline func forget(_ queue: JobQueue) {}
}

/// The queues of the keys that jobs touch, each from the first job of its key to the last; safe like
/// ``KeyIndex``.
@usableFromInline
package final class KeyTable<Key: Hashable & Sendable>: KeyIndex, @unchecked Sendable {
  @usableFromInline package typealias Queue = NamedQueue<StableKey<Key>>

  @exclusivity(unchecked) @usableFromInline package var queues: [StableKey<Key>: Queue] = [:]
  @exclusivity(unchecked) @usableFromInline var made: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline package var lightKeys = Touched<Key>.everyKey
  /// Compiled where the type of the key is known.
  @usableFromInline let forgetQueue: @Sendable (KeyTable, Queue) -> Void

  @inlinable
  package override init() {
    forgetQueue = { $0.remove($1) }
    super.init()
  }

  /// Safe because the queues of this table have this type; a check takes 37 instructions of a free key's 6 400.
  @usableFromInline
  override func forget(_ queue: JobQueue) { forgetQueue(self, unsafeDowncast(queue, to: Queue.self)) }

  @_alwaysEmitIntoClient
  package func queue(of key: StableKey<Key>) -> Queue {
    if !queues.isEmpty, let queue = queues[key] { return queue }
    made += 1
    let own = key.numbered(made)
    let queue = Queue(own)
    queues[own] = queue
    return queue
  }

  /// Removes the queue, which owns the table's key and is released after the unlock.
  @_alwaysEmitIntoClient
  func remove(_ queue: Queue) {
    if let index = queues.index(of: queue, for: queue.key) { queues.remove(at: index) }
    queues.shrinkIfSparse()
  }

  override func prepareLight(_ job: Job, _ state: inout LineState) {
    prepare(job, touching: lightKeys, &state)
    lightKeys = .everyKey
  }

  @_alwaysEmitIntoClient
  package func prepare(_ job: Job, touching touched: Touched<Key>, _ state: inout LineState) {
    switch touched {
    case .everyKey: break
    case .one(let key): state.prepare(job, touching: Claim(on: queue(of: key), sibling: nil))
    case .many(let keys):
      state.prepare(job, touching: keys.reversed().reduce(nil) { Claim(on: queue(of: $1), sibling: $0) })
    }
  }

  package var size: (busy: Int, capacity: Int) { (queues.count, queues.capacity) }
}

/// The queue of one key; safe because it adds only immutable fields.
///
/// Its parameter is the type of the field (``KeptSubmission``): to look that up would cost more than all else for a
/// free key.
@usableFromInline
package final class NamedQueue<TableKey: Named & Sendable>: JobQueue, @unchecked Sendable {
  @usableFromInline let key: TableKey

  @inlinable
  init(_ key: TableKey) {
    self.key = key
    super.init()
  }

  @usableFromInline package override var label: String? { key.name }

  @usableFromInline package override var stakeKey: Stake.Key? { key.stakeKey }
}

@usableFromInline
package protocol Named {
  var name: String { get }
  var stakeKey: Stake.Key { get }
}

extension StableKey: Named {
  @usableFromInline package var name: String { "\(key)" }

  @usableFromInline package var stakeKey: Stake.Key { Stake.Key(key, hash: hash) }
}
