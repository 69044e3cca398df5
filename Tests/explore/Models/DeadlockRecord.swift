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
    var isRead = false
    var hasBegun = false
    var hasEnded = false
    /// What the code in it waits for.
    var calls: [Call] = []
    /// Those who share it, if it is a flight or a read.
    var callers: [Call] = []

    init(_ id: Int, _ label: String, outer: Turn?) {
      self.id = id
      self.label = label
      self.outer = outer
    }

    var chain: [Turn] { Array(sequence(first: self, next: \.outer)) }
  }

  /// A call of the library, until it returns or its caller stops waiting.
  final class Call: @unchecked Sendable {
    enum Need {
      /// A job that it asked for.
      case job(Turn)
      /// A flight or a read, which others may wait for too.
      case shared(Turn)
      /// A job that was submitted before.
      case value(Turn)
      case idle([Int])
      /// A read that has no place yet.
      case unknown
    }

    let asked: String
    let inside: Turn?
    let tree: Tree
    var needs: Need
    /// Found out when its flight was cancelled because this call was the last to leave it.
    var verdict: Verdict?

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

  struct Verdict {
    let hangs: Bool
    /// Whose turn waits for what, of those that hang.
    let waits: Set<[String]>
  }

  static let repository = 5

  /// Who has a place in each line, in order: three executors, two keys, and the repository.
  private(set) var lines: [[Turn]] = Array(repeating: [], count: 6)
  private(set) var calls: [Call] = []
  /// Reads that run at the same time.
  let limit: Int
  private var open: [Turn] = []
  private var lastID = 0

  init(limit: Int) { self.limit = limit }
}

// MARK: - Events

extension DeadlockRecord {
  func makeTurn(_ label: String, outer: Turn?) -> Turn {
    lastID += 1
    let turn = Turn(lastID, label, outer: outer)
    open.append(turn)
    return turn
  }

  func line(up turn: Turn, in line: Int) { lines[line].append(turn) }

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
    for line in lines.indices { lines[line].removeAll { $0 === turn } }
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
    case .idle(let some): !some.allSatisfy { lines[$0].isEmpty }
    case .unknown: false
    }
  }

  /// Whether those before it have ended.
  func mayBegin(_ turn: Turn) -> Bool { getsToRun(turn, []) }

  func verdict(on call: Call) -> Verdict {
    let free = whoCanEnd()
    var waits: Set<[String]> = []
    for call in calls where !canReturn(call, free) {
      for turn in call.inside?.chain ?? [] {
        waits.insert([turn.label, call.asked])
        if let key = turn.label.firstIndex(of: "[") { waits.insert([String(turn.label[..<key]), call.asked]) }
      }
    }
    return Verdict(hangs: !canReturn(call, free), waits: waits)
  }

  /// The turns that come to their end if no call asks for anything more.
  private func whoCanEnd() -> Set<Int> {
    var free: Set<Int> = []
    while true {
      let before = free.count
      for turn in open where !free.contains(turn.id) && getsToRun(turn, free) {
        if turn.calls.allSatisfy({ canReturn($0, free) }) { free.insert(turn.id) }
      }
      if free.count == before { return free }
    }
  }

  private func getsToRun(_ turn: Turn, _ free: Set<Int>) -> Bool {
    if turn.hasBegun { return true }
    guard let line = lines.first(where: { $0.contains { $0 === turn } }) else { return true }
    let stuckAhead = line.prefix { $0 !== turn }.filter { !free.contains($0.id) }
    if !turn.isRead { return stuckAhead.isEmpty }
    return stuckAhead.allSatisfy(\.isRead) && stuckAhead.count < limit
  }

  private func canReturn(_ call: Call, _ free: Set<Int>) -> Bool {
    switch call.needs {
    case .job(let turn), .shared(let turn), .value(let turn): turn.hasEnded || free.contains(turn.id)
    case .idle(let some): some.allSatisfy { lines[$0].allSatisfy { free.contains($0.id) } }
    case .unknown: true
    }
  }
}
