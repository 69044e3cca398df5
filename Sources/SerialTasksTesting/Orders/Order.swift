/// The recorded kinds of requests, and which of them were made by child tasks of one turn.
///
/// After `limit` kinds, or eight times as many pairs, it records no more, and sets a flag.
struct Order: Sendable {
  /// A `Stake` of the library, with numbers for its owner and keys.
  struct Stake: Hashable, Sendable {
    enum Mode: Hashable, Sendable {
      case alone, shared, drain
      /// A read that equal reads join; the number stands for its types.
      case joined(Int)
      /// A call that joins such a read only after it has begun.
      case joins(Int)
    }

    var owner: Int
    /// `nil` for all keys.
    var keys: [Int]?
    var mode = Mode.alone
    /// How many slots there are, if it needs one.
    var slots: Int?
    /// Whether the call waits only for running jobs.
    var goesFirst = false
  }

  /// What is held, the innermost first, and what is requested.
  struct Request: Hashable, Sendable {
    var held: [Stake]
    var wanted: Stake
  }

  /// No other turn has the same numbers.
  struct Turn: Hashable, Sendable {
    let generation: UInt
    let number: UInt64
  }

  struct Jobs: Hashable, Sendable {
    var holders: [String?] = []
    var wanted: String?
  }

  /// The smaller number comes first.
  struct Pair: Hashable, Sendable {
    let first: Int
    let second: Int

    init(_ one: Int, _ other: Int) { (first, second) = (min(one, other), max(one, other)) }
  }

  private struct Inside: Sendable {
    struct Asker: Sendable {
      let task: Int
      /// How many turns were held inside this one.
      let depth: Int
      var areMany = false
    }

    let turn: UInt64
    var askers: [Int: Asker] = [:]
  }

  private let limit: Int
  private var numbers: [Request: Int] = [:]
  private(set) var requests: [Request] = []
  private(set) var jobs: [Jobs] = []
  /// Of different tasks in one turn, which does not keep them apart.
  private(set) var siblings: Set<Pair> = []
  /// Requests of calls that hold nothing; they may stand ahead of others.
  private(set) var outside: [(stake: Stake, job: String?)] = []
  private var knownOutside: Set<Stake> = []
  private(set) var outsideUnknown: Set<Int> = []
  /// By generation: the requests inside its last turn.
  private var inside: [UInt: Inside] = [:]
  private(set) var isFull = false

  init(limit: Int) { self.limit = limit }
}

// MARK: - Noting

extension Order {
  /// Gets the turns in the order of what the request holds.
  mutating func note(_ request: Request, in turns: [Turn], by task: Int, _ jobs: Jobs) {
    if request.held.isEmpty { return noteOutside(request.wanted, jobs.wanted) }
    // A call that waits for its own turn is always rejected, whatever other calls do.
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
    // No job waits behind a drain, or behind a read that goes first.
    if stake.mode == .drain || stake.goesFirst || knownOutside.contains(stake) { return }
    guard outside.count < limit else {
      outsideUnknown.insert(stake.owner)
      return
    }
    knownOutside.insert(stake)
    outside.append((stake, job))
  }

  /// Called when there was no room for the keys.
  mutating func noteUnknown(owner: Int?, isOutside: Bool) {
    if isOutside { if let owner { outsideUnknown.insert(owner) } } else { isFull = true }
  }

  /// Pairs the request with those of other tasks in the turn, if neither task waits for the other.
  private mutating func note(_ number: Int, at depth: Int, in turn: Turn, by task: Int) {
    // No request waits for one that holds only what all of them hold.
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
  func overlaps(_ other: Self) -> Bool {
    guard owner == other.owner else { return false }
    switch (keys, other.keys) {
    case (nil, nil): return true
    // A job without keys waits for none, but a drain of all keys waits for it.
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

  private func shares(with other: Self) -> Bool {
    guard isShared, other.isShared else { return false }
    // Equal reads are one read: to join it is to wait for its end.
    if case .joined(let types) = other.mode, mode == .joined(types) || mode == .joins(types) { return false }
    return true
  }

  /// Returns whether a call that requests this waits for one that holds the other.
  func waits(for held: Self) -> Bool {
    if case .joins = mode, !held.isShared { return false }
    return overlaps(held) && !shares(with: held)
  }

  func excludes(_ other: Self) -> Bool {
    if owner == other.owner, slots == 1, other.slots == 1 { return true }
    return overlaps(other) && !shares(with: other)
  }

  /// Returns whether a call that requests this waits behind one that waits for the other.
  func waits(behind other: Self) -> Bool {
    if case .joins = mode { return false }
    return other.mode != .drain && !goesFirst && overlaps(other) && !(isShared && other.isShared)
  }
}
