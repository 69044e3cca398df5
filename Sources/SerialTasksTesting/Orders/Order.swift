/// What is known of the order in which calls ask for things: each kind of request once, and which of them child tasks of one turn
/// made.
///
/// It is bounded: when there are `limit` kinds, or eight times as many pairs, it notes no new ones, and says so.
struct Order: Sendable {
  /// What is held or asked for, by numbers that its owner and its keys were given.
  struct Stake: Hashable, Sendable {
    enum Mode: Hashable, Sendable {
      case alone, shared, drain
      /// A read that equal ones join; the number is that of its types.
      case joined(Int)
      /// A call that only waits for such a read that has begun.
      case joins(Int)
    }

    var owner: Int
    /// `nil` for all keys.
    var keys: [Int]?
    var mode = Mode.alone
    /// How many have a slot at the same time, if it needs one.
    var slots: Int?
    /// Whether the call waits only for those that run.
    var goesFirst = false
  }

  /// A kind of request: what is held, the innermost first, and what is asked for.
  struct Request: Hashable, Sendable {
    var held: [Stake]
    var wanted: Stake
  }

  /// A turn of the running code, which no other has the numbers of.
  struct Turn: Hashable, Sendable {
    let generation: UInt
    let number: UInt64
  }

  /// Whose turns were held, and whose was asked for, when it was first seen.
  struct Jobs: Hashable, Sendable {
    var holders: [String?] = []
    var wanted: String?
  }

  /// Two requests, the smaller first.
  struct Pair: Hashable, Sendable {
    let first: Int
    let second: Int

    init(_ one: Int, _ other: Int) { (first, second) = (min(one, other), max(one, other)) }
  }

  /// What was asked for inside one turn.
  private struct Inside: Sendable {
    struct Asker: Sendable {
      let task: Int
      /// How many turns were held inside this one.
      let depth: Int
      /// Whether other tasks have asked for it too.
      var areMany = false
    }

    let turn: UInt64
    var askers: [Int: Asker] = [:]
  }

  private let limit: Int
  private var numbers: [Request: Int] = [:]
  /// In the order in which they were first seen.
  private(set) var requests: [Request] = []
  private(set) var jobs: [Jobs] = []
  /// Those that tasks of one turn have made beside each other: that they hold it both does not keep them apart.
  private(set) var siblings: Set<Pair> = []
  /// What calls that hold nothing have asked for, and by which jobs: they may stand in front of others.
  private(set) var outside: [(stake: Stake, job: String?)] = []
  private var knownOutside: Set<Stake> = []
  /// The owners of which not all of those are known.
  private(set) var outsideUnknown: Set<Int> = []
  /// Of each generation, what was asked for inside its last turn.
  private var inside: [UInt: Inside] = [:]
  /// Whether a request was not noted.
  private(set) var isFull = false

  init(limit: Int) { self.limit = limit }
}

// MARK: - Noting

extension Order {
  /// Notes a request that was made.
  ///
  /// - Parameters:
  ///   - request: What is held, and what is asked for.
  ///   - turns: The turns that are held, in the same order.
  ///   - task: Which task asks.
  ///   - jobs: Whose these turns are.
  mutating func note(_ request: Request, in turns: [Turn], by task: Int, _ jobs: Jobs) {
    if request.held.isEmpty { return noteOutside(request.wanted, jobs.wanted) }
    // It waits for its own turn, whatever others do: such a call is always rejected.
    if request.held.contains(where: { request.wanted.waits(for: $0) }) { return }
    guard let number = numbers[request] ?? add(request, jobs) else { return }
    for (depth, turn) in turns.enumerated() { note(number, at: depth, in: turn, by: task) }
  }

  private mutating func add(_ request: Request, _ jobs: Jobs) -> Int? {
    guard requests.count < limit else {
      isFull = true
      return nil
    }
    numbers[request] = requests.count
    requests.append(request)
    self.jobs.append(jobs)
    return requests.count - 1
  }

  private mutating func noteOutside(_ stake: Stake, _ job: String?) {
    // No job waits behind one that drains, or a read that goes first.
    if stake.mode == .drain || stake.goesFirst || knownOutside.contains(stake) { return }
    guard outside.count < limit else {
      outsideUnknown.insert(stake.owner)
      return
    }
    knownOutside.insert(stake)
    outside.append((stake, job))
  }

  /// Notes that there was no room for the keys of a request.
  mutating func noteUnknown(owner: Int?, isOutside: Bool) {
    if isOutside { if let owner { outsideUnknown.insert(owner) } } else { isFull = true }
  }

  /// Finds those that another task asks for in the same turn, of which neither waits for what the other has done.
  private mutating func note(_ number: Int, at depth: Int, in turn: Turn, by task: Int) {
    // One that holds only what all of them hold is waited for by none of them.
    if depth == 0 { return }
    var known = inside.removeValue(forKey: turn.generation) ?? Inside(turn: turn.number)
    if known.turn != turn.number { known = Inside(turn: turn.number) }
    defer { inside[turn.generation] = known }
    if let own = known.askers[number] {
      if own.areMany || own.task == task { return }
      known.askers[number]?.areMany = true
    } else {
      known.askers[number] = Inside.Asker(task: task, depth: depth)
    }
    let held = requests[number].held.prefix(depth)
    for (other, asker) in known.askers where other != number && (asker.areMany || asker.task != task) {
      let pair = Pair(number, other)
      if siblings.contains(pair) { continue }
      // What they hold inside the common turn still keeps them apart.
      if requests[other].held.prefix(asker.depth).contains(where: { inner in held.contains { $0.excludes(inner) } }) {
        continue
      }
      if siblings.count < 8 * limit { siblings.insert(pair) } else { isFull = true }
    }
  }
}

// MARK: - What is in the way of what

extension Order.Stake {
  /// Returns whether there is a key that both are of, or all are of one of them.
  func overlaps(_ other: Self) -> Bool {
    guard owner == other.owner else { return false }
    switch (keys, other.keys) {
    case (nil, nil): return true
    // A job that touches no key waits for none; but a drain of all waits for it, too.
    case (nil, let keys?): return !keys.isEmpty || mode == .drain
    case (let keys?, nil): return !keys.isEmpty || other.mode == .drain
    case (let keys?, let others?): return keys.contains { others.contains($0) }
    }
  }

  private var isShared: Bool {
    switch mode {
    case .shared, .joined, .joins: true
    case .alone, .drain: false
    }
  }

  /// Returns whether they share what they have in common.
  private func shares(with other: Self) -> Bool {
    guard isShared, other.isShared else { return false }
    // Equal reads are one, and to join one is to wait for its end.
    if case .joined(let types) = other.mode, mode == .joined(types) || mode == .joins(types) { return false }
    return true
  }

  /// Returns whether a call that asks for this waits for one that has the other.
  func waits(for held: Self) -> Bool {
    if case .joins = mode, !held.isShared { return false }
    return overlaps(held) && !shares(with: held)
  }

  /// Returns whether no two jobs can have both at the same time.
  func excludes(_ other: Self) -> Bool {
    if owner == other.owner, slots == 1, other.slots == 1 { return true }
    return overlaps(other) && !shares(with: other)
  }

  /// Returns whether a call that asks for this waits behind one that waits for the other.
  func waits(behind other: Self) -> Bool {
    if case .joins = mode { return false }
    return other.mode != .drain && !goesFirst && overlaps(other) && !(isShared && other.isShared)
  }
}
