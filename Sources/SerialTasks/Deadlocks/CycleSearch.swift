/// A search of the wait graph: whether a wait would ever end.
///
/// It collects the waits that this one depends on, and removes each that will end. To follow edges until one leads
/// back is not enough: a read that waits for room next to others resumes when *any* of them ends.
///
/// Not recursive: a chain of waits may be longer than the stack is deep.
struct CycleSearch {
  private var waits: [Wait]
  private var blockers: [Blockers] = []
  private var index: [ObjectIdentifier: Int]
  private var isStuck: [Bool] = []
  private var held: [Blockers.Pause] = []

  init(from start: Wait) {
    waits = [start]
    index = [ObjectIdentifier(start): 0]
  }

  /// Named after the unlock of the graph, because a key's `description` may be called.
  struct Cycle: Sendable {
    fileprivate struct Step {
      let wait: Wait
      let holder: WaitNode
      let meeting: Meeting

      var names: [String] {
        var names: [String] = []
        for name in meeting.names() where name != names.last { names.append(name) }
        return names.isEmpty ? [wait.label] : names
      }
    }

    /// The new wait, that of the turn to which it leads, and so on, up to a turn of the caller.
    fileprivate let steps: [Step]
    /// That turn, and the caller's own turns inside it, outermost first.
    fileprivate let own: [WaitNode]
    /// The owners of these turns: the caller may have continued when the names are read.
    private let resources: [WaitNode]

    fileprivate init(steps: [Step], own: [WaitNode]) {
      self.steps = steps
      self.own = own
      resources = (own + steps.map(\.holder)).map(\.resource)
    }

    var error: DeadlockError {
      let names = steps.map(\.names)
      let (holders, turns) = (steps.map(\.holder.turnLabel), own.map(\.turnLabel))
      var requests: [DeadlockRequest] = []
      for (index, step) in steps.enumerated() {
        let next = index + 1 < steps.count ? holders[index + 1] : turns[0]
        let between = names[index].dropFirst()
        requests.append(
          DeadlockRequest(
            held: holders[index], holder: step.holder.job, wanted: names[index][0], job: step.wait.job,
            between: between.last == next ? between.dropLast() : between))
      }
      for (index, turn) in own.enumerated().dropFirst() {
        requests.append(
          DeadlockRequest(held: turns[index - 1], holder: own[index - 1].job, wanted: turns[index], job: turn.job))
      }
      var path = names.flatMap(\.self) + turns.dropFirst()
      // A name shared by two waits does not close the path.
      if own.count == 1 && names.last!.count == 1 || path.last != path[0] { path.append(path[0]) }
      return DeadlockError(path: path, requests: requests)
    }
  }

  /// Returns `nil` if the wait will end, perhaps after held-back jobs have passed.
  mutating func cycle() -> Cycle? {
    guard gather() || waits[0].overtakes else { return nil }
    removeWhatEnds(inPauses: false)
    if isStuck[0] { return shortestCycle() ?? cycleOfOthers() }
    findPauses()
    return nil
  }

  /// Finds pauses only: the wait may be in a cycle with a call that will leave, as it has a limit or is being rejected.
  mutating func lookForPauses() { if gather() { findPauses() } }

  private mutating func findPauses() {
    removeWhatEnds(inPauses: true)
    guard isStuck[0] else { return }
    for wait in waits.indices where isStuck[wait] {
      if let pause = blockers[wait].pause, pause.until.contains(where: neverEnds) { held.append(pause) }
    }
  }

  func letPass() { for pause in held { pause.pass() } }

  private var chain: [WaitNode] { waits[0].chain }

  private func isOwn(_ node: WaitNode) -> Bool { chain.contains { $0 === node } }

  private mutating func gather() -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var comesBack = false
    while blockers.count < waits.count {
      let these = waits[blockers.count].blockers()
      blockers.append(these)
      for node in these.nodes where seen.insert(ObjectIdentifier(node)).inserted {
        if isOwn(node) { comesBack = true } else { for wait in node.waits { add(wait) } }
      }
    }
    return comesBack
  }

  private mutating func add(_ wait: Wait) {
    guard index[ObjectIdentifier(wait)] == nil else { return }
    index[ObjectIdentifier(wait)] = waits.count
    waits.append(wait)
  }
}

// MARK: - Who will end

extension CycleSearch {
  private mutating func removeWhatEnds(inPauses: Bool) {
    isStuck = Array(repeating: true, count: waits.count)
    var hasChanged = true
    while hasChanged, isStuck[0] {
      hasChanged = false
      // From far to near: a chain is removed in one round.
      for wait in waits.indices.reversed() where isStuck[wait] && !isHeldUp(wait, inPauses) {
        isStuck[wait] = false
        hasChanged = true
      }
    }
  }

  private func isHeldUp(_ wait: Int, _ inPauses: Bool) -> Bool {
    if waits[wait].endsByItself { return false }
    let (all, any) = (blockers[wait].all, blockers[wait].any)
    if inPauses, let pause = blockers[wait].pause, pause.until.contains(where: neverEnds) { return true }
    return all.contains(where: neverEnds) || !any.isEmpty && any.allSatisfy(neverEnds)
  }

  private func neverEnds(_ node: WaitNode) -> Bool {
    isOwn(node) || node.waits.contains { isStuck[index[ObjectIdentifier($0)]!] }
  }
}

// MARK: - The cycle

extension CycleSearch {
  private func shortestCycle() -> Cycle? {
    var (next, found, reached) = (0, [Found(wait: 0, before: 0, turn: nil)], Set([0]))
    while next < found.count {
      let nodes = blockers[found[next].wait].turns
      if let own = chain.firstIndex(where: { own in nodes.contains { $0 === own } }) {
        return Cycle(steps: steps(of: found, from: next, to: chain[own]), own: chain[...own].reversed())
      }
      for node in nodes {
        for wait in node.waits.map({ index[ObjectIdentifier($0)]! }) where isStuck[wait] {
          if reached.insert(wait).inserted { found.append(Found(wait: wait, before: next, turn: node)) }
        }
      }
      next += 1
    }
    return nil
  }

  /// Follows stuck waits until one repeats, as it waits for a job that the new call has overtaken.
  private func cycleOfOthers() -> Cycle {
    var (steps, seen, wait, holder): ([Cycle.Step], Set<Int>, Int, WaitNode) = ([], [], 0, chain[0])
    while seen.insert(wait).inserted {
      let turn = blockers[wait].turns.first(where: neverEnds)!
      steps.append(Cycle.Step(wait: waits[wait], holder: holder, meeting: waits[wait].meeting(turn)))
      wait = turn.waits.lazy.map { index[ObjectIdentifier($0)]! }.first { isStuck[$0] }!
      holder = turn
    }
    return Cycle(steps: steps, own: [chain[0]])
  }

  private struct Found {
    let wait: Int
    let before: Int
    let turn: WaitNode?
  }

  private func steps(of found: [Found], from last: Int, to own: WaitNode) -> [Cycle.Step] {
    var (steps, next, turn): ([Cycle.Step], Int?, WaitNode?) = ([], last, own)
    while let index = next, let met = turn {
      let wait = waits[found[index].wait]
      turn = found[index].turn
      // The call that closes the cycle holds its innermost turn, even if the cycle leads to an outer one.
      steps.append(Cycle.Step(wait: wait, holder: turn ?? chain[0], meeting: wait.meeting(met)))
      next = index == 0 ? nil : found[index].before
    }
    return steps.reversed()
  }
}
