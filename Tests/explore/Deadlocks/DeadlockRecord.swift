/// What the model itself knows of a running system: who has which turn, and what each call stands behind and waits for.
///
/// It knows nothing of markers, and finds out by brute force whether a wait would never end: it lets every call go on that can
/// if no call asks for anything more, until none is left that can. A call that is left hangs.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class DeadlockRecord: @unchecked Sendable {
  /// A job, a read, or a flight, from the call on that asks for it: something that others wait for.
  final class Turn: @unchecked Sendable {
    let id: Int
    let label: String
    /// The turn in which it was asked for, if that one cannot end before this has.
    let outer: Turn?
    /// Its places, each in one of ``DeadlockRecord/queues``.
    var claims: [Claim] = []
    var needsSlot: Slot?
    /// When its caller leaves by itself if it does not begin.
    var deadline: Int?
    /// When its job began, in milliseconds.
    var begun: Int?
    var hasEnded = false
    /// What the code in it waits for.
    var calls: [Call] = []
    /// Those who share it, if it is a flight or a read.
    var callers: [Call] = []
    /// Jobs that may have had their turns already when this came, or not: which goes first is seen when one of them begins.
    var beside: [Turn] = []

    init(_ id: Int, _ label: String, outer: Turn?) {
      self.id = id
      self.label = label
      self.outer = outer
    }

    var hasBegun: Bool { begun != nil }

    var chain: [Turn] { Array(sequence(first: self, next: \.outer)) }
  }

  /// A place, shared with others or alone.
  struct Claim: Sendable {
    let queue: Queue
    let isShared: Bool
    /// Whether it is of a call in a turn, and so before those of all others that have not begun.
    var isFirst = false
  }

  /// Where jobs stand in line.
  enum Queue: Hashable, Sendable {
    case line(Int)
    /// All jobs of an executor of keys, and one of its keys.
    case keys(Int)
    case key(Int, Int)
    case read(Int)
    case repository
    case flights
  }

  /// Of what there is a limit.
  enum Slot: Hashable, Sendable { case keys(Int), reads }

  /// A call of the library, until it returns or its caller stops waiting.
  final class Call: @unchecked Sendable {
    enum Need {
      /// A job that it asked for.
      case job(Turn)
      /// A flight or a read, which others may wait for too.
      case shared(Turn)
      /// A job that was submitted before.
      case value(Turn)
      /// The end of these.
      case idle([Turn])
      /// A read that has no place yet.
      case unknown
    }

    let asked: String
    let inside: Turn?
    let tree: Tree
    var needs: Need
    /// When it leaves by itself if the read that it waits for does not begin.
    var deadline: Int?
    /// Found out when its flight was cancelled because this call was the last to leave it.
    var verdicts: [Verdict] = []

    init(_ asked: String, _ needs: Need, inside: Turn?, _ tree: Tree) {
      self.asked = asked
      self.needs = needs
      self.inside = inside
      self.tree = tree
    }
  }

  /// A task with its structured children: what is cancelled together.
  final class Tree: @unchecked Sendable {
    var isCancelled = false
  }

  /// What comes of a call if no task asks for anything more.
  struct Verdict {
    let hangs: Bool
    /// Of those that hang: what is asked for, the turns that the call holds, those that it waits for, and what stands between.
    fileprivate let stuck: [(call: Call, holds: Set<Int>, waitsFor: Set<Int>, between: Set<Int>)]
    /// What the turns are called.
    fileprivate let labels: [Int: String]

    /// Whether each name is what a call waits for that holds what the one before waits for, from the call and back to it.
    ///
    /// Between two of them may stand jobs that wait themselves, the turn that the next call holds, or the slots.
    func isCycle(_ path: [String], of call: Call) -> Bool {
      guard path.count > 1, path.first == path.last, Self.means(path[0], call.asked) else { return false }
      var reached = stuck.filter { $0.call === call }
      for name in path.dropFirst() {
        let turns = reached.reduce(into: Set()) { $0.formUnion($1.waitsFor) }
        let between = name.hasPrefix("slots of ") ? reached : reached.filter { isName(name, ofOne: $0.between) }
        reached = stuck.filter { Self.means(name, $0.call.asked) && !$0.holds.isDisjoint(with: turns) } + between
      }
      return reached.contains { $0.call === call }
    }

    /// Whether one of these turns is called so, with the name of its job or without.
    private func isName(_ name: String, ofOne turns: Set<Int>) -> Bool {
      turns.compactMap { labels[$0] }.contains { Self.means(name, $0) || name.hasSuffix(" in \($0)") }
    }

    /// Whether the name is that of what was asked for, with all of its keys or those at which the jobs meet.
    private static func means(_ name: String, _ asked: String) -> Bool {
      if name == asked { return true }
      let (named, all) = (parts(of: name), parts(of: asked))
      return named.executor == all.executor && !named.keys.isEmpty && named.keys.isSubset(of: all.keys)
    }

    private static func parts(of name: String) -> (executor: Substring, keys: Set<Substring>) {
      guard let bracket = name.firstIndex(of: "["), name.last == "]" else { return (name[...], []) }
      let keys = name[name.index(after: bracket)...].dropLast()
      return (name[..<bracket], Set(keys.split(separator: ", ")))
    }
  }

  /// Who has a place, in order.
  private(set) var queues: [Queue: [Turn]] = [:]
  private(set) var calls: [Call] = []
  /// How many jobs of keys, and how many reads, run at the same time.
  private let limits: [Slot: Int]
  private let now: () -> Int
  private var open: [Turn] = []
  private var lastID = 0
  private var areLimitsIgnored = false

  init(_ limits: [Slot: Int], now: @escaping () -> Int) {
    self.limits = limits
    self.now = now
  }
}

// MARK: - Events

extension DeadlockRecord {
  func makeTurn(_ label: String, outer: Turn?) -> Turn {
    lastID += 1
    let turn = Turn(lastID, label, outer: outer)
    open.append(turn)
    return turn
  }

  /// Gives the turn all of its places.
  func line(up turn: Turn, with claims: [Claim], slot: Slot? = nil) {
    turn.claims = claims
    turn.needsSlot = slot
    if claims.contains(where: \.isFirst) { turn.beside = open.filter { $0 !== turn && !$0.hasBegun && mayBegin($0) } }
    for claim in claims {
      let queue = queues[claim.queue, default: []]
      // Behind what has begun, also if one that has left and not noticed it stands before that.
      let ahead = claim.isFirst ? queue.lastIndex { $0.hasBegun || $0.claims.contains(where: \.isFirst) } ?? -1 : nil
      queues[claim.queue, default: []].insert(turn, at: ahead.map { $0 + 1 } ?? queue.endIndex)
    }
  }

  private func isShared(_ turn: Turn, _ queue: Queue) -> Bool {
    turn.claims.contains { $0.queue == queue && $0.isShared }
  }

  func begin(_ call: Call) {
    calls.append(call)
    call.inside?.calls.append(call)
  }

  /// It has returned, or does not wait any more.
  func end(_ call: Call) {
    calls.removeAll { $0 === call }
    call.inside?.calls.removeAll { $0 === call }
    if case .shared(let turn) = call.needs { turn.callers.removeAll { $0 === call } }
  }

  /// It has ended, or will never run.
  func end(_ turn: Turn) {
    turn.hasEnded = true
    open.removeAll { $0 === turn }
    for claim in turn.claims { queues[claim.queue]?.removeAll { $0 === turn } }
  }

  /// It stops waiting; what no other caller wants does not run if it has not begun.
  func giveUp(_ call: Call) {
    end(call)
    switch call.needs {
    case .job(let turn), .shared(let turn): if !turn.hasBegun, turn.callers.isEmpty { end(turn) }
    case .value, .idle, .unknown: break
    }
  }

  /// Every waiting caller in the tree leaves at once.
  func cancel(_ tree: Tree) {
    tree.isCancelled = true
    for call in calls where call.tree === tree {
      switch call.needs {
      case .job(let turn): if !turn.hasBegun { giveUp(call) }
      case .shared(let turn): if !turn.hasEnded { giveUp(call) }
      case .value, .idle, .unknown: end(call)
      }
    }
  }

  var unfinished: String {
    (calls.map { "waits for \($0.asked)" } + open.map { "\($0.label) \($0.id)" }).joined(separator: ", ")
  }
}

// MARK: - Brute force

extension DeadlockRecord {
  func mustWait(_ call: Call) -> Bool {
    switch call.needs {
    case .job(let turn): !mayBegin(turn)
    case .shared(let turn), .value(let turn): turn.hasBegun
    case .idle(let turns): turns.contains { !$0.hasEnded }
    case .unknown: false
    }
  }

  /// Whether those in its way have ended, and there is a slot for it.
  func mayBegin(_ turn: Turn) -> Bool { getsToRun(turn, []) }

  /// No search looks past a call with a limit: a cycle that only its leaving would open may be rejected.
  func verdict(on call: Call) -> Verdict {
    areLimitsIgnored = true
    defer { areLimitsIgnored = false }
    let free = whoCanEnd()
    let stuck = calls.filter { !canReturn($0, free) }.map { call in
      let (running, all) = waitsFor(call)
      return (call, Set(call.inside?.chain.map(\.id) ?? []), running, all)
    }
    let labels = Dictionary(uniqueKeysWithValues: open.map { ($0.id, $0.label) })
    return Verdict(hangs: !canReturn(call, free), stuck: stuck, labels: labels)
  }

  /// The turns that come to their end if no call asks for anything more.
  private func whoCanEnd() -> Set<Int> {
    var free: Set<Int> = []
    while true {
      let before = free.count
      for turn in open where !free.contains(turn.id) && (leavesByItself(turn) || getsToRun(turn, free)) {
        if turn.calls.allSatisfy({ canReturn($0, free) }) { free.insert(turn.id) }
      }
      if free.count == before { return free }
    }
  }

  func leavesByItself(_ call: Call) -> Bool {
    if areLimitsIgnored { return false }
    return switch call.needs {
    case .job(let turn): turn.deadline != nil && !turn.hasBegun
    case .shared(let turn): call.deadline != nil && !turn.hasBegun
    case .value, .idle, .unknown: false
    }
  }

  /// Whether it may learn that it is late: also after what it shared has begun for others, if its limit had passed by then.
  func mayBeLate(_ call: Call) -> Bool {
    if case .shared(let turn) = call.needs, let begun = turn.begun, let deadline = call.deadline {
      return deadline <= begun
    }
    return leavesByItself(call)
  }

  private func leavesByItself(_ turn: Turn) -> Bool {
    if turn.hasBegun || areLimitsIgnored { return false }
    return turn.deadline != nil || !turn.callers.isEmpty && turn.callers.allSatisfy { $0.deadline != nil }
  }

  /// Whether all its callers may have left, and just not noticed.
  private func mayHaveLeft(_ turn: Turn) -> Bool {
    let deadlines = [turn.deadline] + turn.callers.map(\.deadline)
    return leavesByItself(turn) && deadlines.allSatisfy { ($0 ?? 0) <= now() }
  }

  private func getsToRun(_ turn: Turn, _ free: Set<Int>) -> Bool {
    if turn.hasBegun { return true }
    if inTheWay(of: turn).contains(where: { !free.contains($0.id) }) { return false }
    guard let slot = turn.needsSlot else { return true }
    return holders(of: slot).count { !free.contains($0.id) } < limit(of: slot)
  }

  private func limit(of slot: Slot) -> Int { limits[slot, default: .max] }

  private func holders(of slot: Slot) -> [Turn] { open.filter { $0.needsSlot == slot && $0.hasBegun } }

  /// Those that must end before the turn begins, also such as wait themselves.
  private func inTheWay(of turn: Turn) -> [Turn] {
    turn.claims.flatMap { claim in
      let queue = queues[claim.queue, default: []]
      let place = queue.firstIndex { $0 === turn } ?? queue.endIndex
      return queue.enumerated().filter { index, other in
        if other === turn || claim.isShared && isShared(other, claim.queue) || mayHaveLeft(other) { return false }
        if turn.beside.contains(where: { $0 === other }) || other.beside.contains(where: { $0 === turn }) {
          return other.hasBegun
        }
        return index < place
      }.map(\.element)
    }
  }

  /// The turns that must end before the call returns, or of which one must: those that run, and all.
  private func waitsFor(_ call: Call) -> (running: Set<Int>, all: Set<Int>) {
    var (found, work): (Set<Int>, [Turn]) = ([], [])
    switch call.needs {
    case .job(let turn), .shared(let turn), .value(let turn): work = turn.hasEnded ? [] : [turn]
    case .idle(let turns): work = turns.filter { !$0.hasEnded }
    case .unknown: break
    }
    var seen: Set<Int> = []
    while let turn = work.popLast() {
      guard seen.insert(turn.id).inserted else { continue }
      if turn.hasBegun {
        found.insert(turn.id)
        continue
      }
      work += inTheWay(of: turn)
      if let slot = turn.needsSlot, holders(of: slot).count >= limit(of: slot) { work += holders(of: slot) }
    }
    return (found, seen)
  }

  private func canReturn(_ call: Call, _ free: Set<Int>) -> Bool {
    if leavesByItself(call) { return true }
    return switch call.needs {
    case .job(let turn), .shared(let turn), .value(let turn): turn.hasEnded || free.contains(turn.id)
    case .idle(let turns): turns.allSatisfy { $0.hasEnded || free.contains($0.id) }
    case .unknown: true
    }
  }
}
