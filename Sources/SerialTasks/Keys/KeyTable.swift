/// The queues of the keys of a line, as far as a line that does not know the type of its keys needs them.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package class KeyIndex: @unchecked Sendable {
  @usableFromInline package init() {}

  /// The claims on the keys of the caller that found the line free; `nil` if it touches every key.
  package func claimsOfSolo() -> Claim?? { .some(nil) }

  /// Makes claims for all callers that have their keys without them.
  @usableFromInline package func settleAll(_ table: inout ClaimTable) {}

  /// No job touches the key any more.
  ///
  /// The queue is released after the unlock.
  @usableFromInline func forget(_ queue: KeyQueue) {}
}

/// The queues of the keys that jobs touch.
///
/// A key that no job touches has none, and costs nothing.
///
/// A queue is made when the first job comes and forgotten when the last one goes; see ``StableKey`` for how keys are found
/// again that are not equal to themselves.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package final class KeyTable<Key: Hashable & Sendable>: KeyIndex, @unchecked Sendable {
  @usableFromInline package typealias Queue = NamedQueue<StableKey<Key>>

  @exclusivity(unchecked) @usableFromInline package var queues: [StableKey<Key>: Queue] = [:]
  /// The turns of callers that have their keys without claims; such a key has no queue.
  @exclusivity(unchecked) @usableFromInline package var unclaimed: [StableKey<Key>: KeyedTurn] = [:]
  /// The newest of the jobs that replace each other, of each kind; see ``LatestSubmission``.
  @exclusivity(unchecked) @usableFromInline var latest: [StableKey<LatestKey<Key>>: TypedLatestEntry<Key>] = [:]
  /// How many queues and entries there have been.
  @exclusivity(unchecked) @usableFromInline var made: UInt64 = 0
  /// The keys of the caller that found the line free.
  @exclusivity(unchecked) @usableFromInline package var solo = Touched<Key>.everyKey
  /// Takes a queue out of the table; compiled where the type of the key is known.
  @usableFromInline let forgetQueue: @Sendable (KeyTable, Queue) -> Void

  @inlinable
  package override init() {
    forgetQueue = { $0.remove($1) }
    super.init()
  }

  /// Safe because the queues of this table are of this type.
  @usableFromInline
  override func forget(_ queue: KeyQueue) { forgetQueue(self, unsafeDowncast(queue, to: Queue.self)) }

  /// The queue of the key, which is made if there is none.
  @inlinable
  package func queue(of key: StableKey<Key>) -> Queue {
    if let queue = queues[key] { return queue }
    made += 1
    let own = key.numbered(made)
    let queue = Queue(own, in: self)
    queues[own] = queue
    return queue
  }

  /// The table's instance of the key is that of the queue, which is released after the unlock.
  @inlinable
  func remove(_ queue: Queue) {
    if let index = queues.index(of: queue, for: queue.key) { queues.remove(at: index) }
    queues.shrinkIfSparse()
  }

  package override func claimsOfSolo() -> Claim?? {
    defer { solo = .everyKey }
    return solo.touchesEveryKey ? nil : .some(claims(solo, isShared: false))
  }

  @usableFromInline
  package override func settleAll(_ table: inout ClaimTable) {
    if unclaimed.isEmpty { return }
    let all = unclaimed
    unclaimed = [:]
    for (key, turn) in all { table.settle(turn, claims(.one(key), isShared: false)) }
  }

  /// The claims of a job, the first one with the next, and so on.
  @inlinable
  func claims(_ touched: Touched<Key>, isShared: Bool) -> Claim? {
    switch touched {
    case .everyKey: return nil
    case .one(let key): return Claim(on: queue(of: key), isShared: isShared, sibling: nil)
    case .many(let touched):
      return touched.reversed().reduce(nil) { Claim(on: queue(of: $1), isShared: isShared, sibling: $0) }
    }
  }

  package var size: (busy: Int, capacity: Int) {
    (queues.count + unclaimed.count, max(queues.capacity, unclaimed.capacity))
  }
}

// MARK: - Callers without claims

extension KeyTable {
  /// Takes a key that no job touches, for a caller that needs no slot, while jobs of other keys run.
  ///
  /// It costs a fraction of what claims cost.
  @inlinable
  package func enter(_ key: StableKey<Key>, _ table: inout ClaimTable, named name: String?, task: TaskReference?)
    -> KeyedTurn?
  {
    guard table.admitsWithoutClaims, queues.isEmpty || queues[key] == nil, unclaimed[key] == nil else { return nil }
    if table.hasSolo { guard case .one(let other) = solo, other != key else { return nil } }
    let turn = table.enterWithoutClaims(name: name, task: task)
    made += 1
    turn.number = made
    unclaimed[key.numbered(made)] = turn
    return turn
  }

  /// The job has ended that was given this turn; the key is the caller's still, so it does not end here.
  ///
  /// - Returns: The waiter that was made for it meanwhile, which is to be finished.
  @inlinable
  package func leave(_ key: StableKey<Key>, _ turn: KeyedTurn, _ table: inout ClaimTable) -> Waiter? {
    if let waiter = turn.waiter { return waiter }
    if let index = unclaimed.index(of: turn, for: key.numbered(turn.number)) { unclaimed.remove(at: index) }
    unclaimed.shrinkIfSparse()
    table.leaveWithoutClaims(turn)
    return nil
  }

  /// Makes claims for the solo, and for callers that have one of these keys without them, before another job comes.
  @inlinable
  package func settle(_ touched: Touched<Key>, _ table: inout ClaimTable) {
    table.settleSolo()
    if unclaimed.isEmpty { return }
    switch touched {
    case .everyKey: settleAll(&table)
    case .one(let key): settle(key, &table)
    case .many(let keys): for key in keys { settle(key, &table) }
    }
  }

  @usableFromInline
  func settle(_ key: StableKey<Key>, _ table: inout ClaimTable) {
    guard let index = unclaimed.index(forKey: key) else { return }
    let (own, turn) = unclaimed.remove(at: index)
    unclaimed.shrinkIfSparse()
    table.settle(turn, claims(.one(own), isShared: false))
  }
}

/// The queue of one key.
///
/// Its parameter is the type of the field: a type made of parameters is looked up whenever an object is released that has such
/// a field, which takes longer than all else that is done for a free key.
///
/// Safe because it adds only what is immutable.
@usableFromInline
package final class NamedQueue<TableKey: Named & Sendable>: KeyQueue, @unchecked Sendable {
  @usableFromInline let key: TableKey
  /// Safe because the table holds the queue, and a queue that was forgotten does not ask it.
  @usableFromInline unowned(unsafe) let table: KeyIndex

  @inlinable
  init(_ key: TableKey, in table: KeyIndex) {
    self.key = key
    self.table = table
    super.init()
  }

  @usableFromInline package override var label: String? { key.name }

  @usableFromInline package override var stakeKey: Stake.Key? { key.stakeKey }

  @usableFromInline package override func forget() { table.forget(self) }
}

/// What a key is called, and what it is to a test that watches.
@usableFromInline
package protocol Named {
  var name: String { get }
  var stakeKey: Stake.Key { get }
}

extension StableKey: Named {
  @usableFromInline package var name: String { "\(key)" }

  @usableFromInline package var stakeKey: Stake.Key { Stake.Key(key, hash: hash) }
}

/// Which keys a job touches.
@usableFromInline
package enum Touched<Key: Hashable & Sendable>: Sendable {
  case everyKey
  case one(StableKey<Key>)
  case many([StableKey<Key>])

  /// Takes the hash of each key, outside every lock, and each key once.
  @inlinable
  init(_ keys: some Sequence<Key>) {
    var touched: [StableKey<Key>] = []
    touched.reserveCapacity(keys.underestimatedCount)
    var seen: Set<StableKey<Key>> = []
    for key in keys.lazy.map(StableKey.init) {
      // Most sets are small, and then to compare all is the fastest.
      if touched.count < 8 {
        if touched.contains(key) { continue }
      } else {
        if seen.isEmpty { seen = Set(touched) }
        if !seen.insert(key).inserted { continue }
      }
      touched.append(key)
    }
    self = touched.count == 1 ? .one(touched[0]) : .many(touched)
  }

  @inlinable
  package init(_ key: Key) { self = .one(StableKey(key)) }

}

extension Touched {
  /// How many keys it names.
  @inlinable var count: Int {
    switch self {
    case .everyKey: 0
    case .one: 1
    case .many(let keys): keys.count
    }
  }

  @inlinable var touchesEveryKey: Bool { if case .everyKey = self { true } else { false } }

  @inlinable var touchesNothing: Bool { if case .many(let keys) = self { keys.isEmpty } else { false } }
}

extension Touched: KeyNames {
  /// The keys by name; empty for every key.
  @usableFromInline package var names: [String] {
    switch self {
    case .everyKey: []
    case .one(let key): [key.name]
    case .many(let keys): keys.map(\.name)
    }
  }
}
