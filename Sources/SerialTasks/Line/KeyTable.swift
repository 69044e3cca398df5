/// The keys of a line, as far as a line that does not know their type needs them.
///
/// Safe because every mutable property is reached only under the lock of the line.
@usableFromInline
package class KeyIndex: @unchecked Sendable {
  /// The queues of the keys that jobs touch, in the order in which they were made.
  @exclusivity(unchecked) final var inUse = LinkedList<KeyQueue>()
  /// The jobs that touch no key: they share it, so none is in the way of another.
  @exclusivity(unchecked) final var keyless: KeyQueue?
  @exclusivity(unchecked) final var capacityPerKey = Int.max
  final var limitPerKey: Int? { capacityPerKey == .max ? nil : capacityPerKey }
  @exclusivity(unchecked) final var slots: Slots?
  @exclusivity(unchecked) final var turns = TurnPool()
  /// The turns whose jobs have not begun, by their places.
  @exclusivity(unchecked) final var pending: [Place: PendingTurn] = [:]
  /// Whether callers have keys without a place.
  @exclusivity(unchecked) @usableFromInline package final var hasLights = false

  @usableFromInline package init() {}

  /// Notes what the job touches that is made for the caller that found the line free: every key, if this does nothing.
  func prepareLight(_ job: Job, _ state: inout LineState) {}

  /// Gives places to all callers that have their keys without them.
  func settleAll(_ state: inout LineState) {}

  /// Hands over the queues of all keys, and that of the jobs that touch none.
  final func forEachQueue(_ body: (KeyQueue) -> Void) {
    if let keyless { body(keyless) }
    inUse.forEach(body)
  }

  /// Forgets a key that no job touches any more.
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
  /// The turns of callers that have their keys without a place; such a key has no queue.
  @exclusivity(unchecked) @usableFromInline package var lights: [StableKey<Key>: JobTurn] = [:]
  /// The newest of the jobs that replace each other, by what they name; see ``LatestSubmission``.
  @exclusivity(unchecked) @usableFromInline var latest: [StableKey<Key>: LatestEntry] = [:]
  /// How many queues and entries there have been.
  @exclusivity(unchecked) @usableFromInline var made: UInt64 = 0
  /// The keys of the caller that found the line free.
  @exclusivity(unchecked) @usableFromInline package var lightKeys = Touched<Key>.everyKey
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

  /// Returns the queue of the key, which is made if there is none.
  @inlinable
  package func queue(of key: StableKey<Key>, _ state: inout LineState) -> Queue {
    if !queues.isEmpty, let queue = queues[key] { return queue }
    made += 1
    let own = key.numbered(made)
    let queue = Queue(own)
    queues[own] = queue
    state.adopt(queue)
    return queue
  }

  /// Takes the queue out; the table's instance of the key is that of the queue, which is released after the unlock.
  @inlinable
  func remove(_ queue: Queue) {
    if let index = queues.index(of: queue, for: queue.key) { queues.remove(at: index) }
    queues.shrinkIfSparse()
  }

  override func prepareLight(_ job: Job, _ state: inout LineState) {
    prepare(job, touching: lightKeys, &state)
    lightKeys = .everyKey
  }

  override func settleAll(_ state: inout LineState) {
    let all = lights
    lights = [:]
    hasLights = false
    for (key, turn) in all { state.settle(turn) { prepare($0, touching: .one(key), &$1) } }
  }

  /// Notes what a job touches that is about to come.
  @inlinable
  package func prepare(_ job: Job, touching touched: Touched<Key>, _ state: inout LineState) {
    switch touched {
    case .everyKey: break
    case .one(let key): state.prepare(job, touching: queue(of: key, &state))
    case .many(let keys):
      guard let first = keys.first else { return state.prepare(job, touching: state.queueWithoutKey()) }
      let further = keys.dropFirst().reversed().reduce(nil) { Claim(on: queue(of: $1, &state), sibling: $0) }
      state.prepare(job, touching: queue(of: first, &state), further)
    }
  }

  package var size: (busy: Int, capacity: Int) {
    (queues.count + lights.count, max(queues.capacity, lights.capacity))
  }
}

// MARK: - Callers without a place

extension KeyTable {
  /// Takes a key that no job touches, for a caller that needs no slot, while jobs of other keys run.
  ///
  /// It costs a fraction of what a place costs.
  @inlinable
  package func enter(_ key: StableKey<Key>, _ state: inout LineState, named name: String?, task: TaskReference?)
    -> JobTurn?
  {
    guard state.admitsLight, queues.isEmpty || queues[key] == nil, lights[key] == nil else { return nil }
    if state.hasLight { guard case .one(let other) = lightKeys, other != key else { return nil } }
    made += 1
    let turn = state.enterKey(name: name, task: task, number: made)
    lights[key.numbered(made)] = turn
    hasLights = true
    return turn
  }

  /// Ends the turn of such a caller; the key is the caller's still, so it does not end here.
  ///
  /// - Returns: The job that was made for it meanwhile, which is to be finished.
  @inlinable
  package func leave(_ key: StableKey<Key>, _ turn: JobTurn, _ state: inout LineState) -> Job? {
    guard let light = turn.light else { return turn.owner }
    if let index = lights.index(of: turn, for: key.numbered(light.number)) { removeLight(at: index) }
    state.leaveKey(turn)
    return nil
  }

  /// Gives places to the caller that found the line free, and to those that have one of these keys without, before another job comes.
  @inlinable
  package func settle(_ touched: Touched<Key>, _ state: inout LineState) {
    state.settleLight()
    if !hasLights { return }
    switch touched {
    case .everyKey: state.settle()
    case .one(let key): settle(key, &state)
    case .many(let keys): for key in keys { settle(key, &state) }
    }
  }

  @discardableResult @inlinable
  func removeLight(at index: Dictionary<StableKey<Key>, JobTurn>.Index) -> (key: StableKey<Key>, value: JobTurn) {
    let light = lights.remove(at: index)
    lights.shrinkIfSparse()
    hasLights = !lights.isEmpty
    return light
  }

  @usableFromInline
  func settle(_ key: StableKey<Key>, _ state: inout LineState) {
    guard let index = lights.index(forKey: key) else { return }
    let (own, turn) = removeLight(at: index)
    state.settle(turn) { prepare($0, touching: .one(own), &$1) }
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

  @inlinable
  init(_ key: TableKey) {
    self.key = key
    super.init()
  }

  @usableFromInline package override var label: String? { key.name }

  @usableFromInline package override var stakeKey: Stake.Key? { key.stakeKey }
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
