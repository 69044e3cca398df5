import Postgres
import Testing

/// Two processes that want one key, in every order of up to nine steps, without a server.
@Suite struct AccessTableTests {
  /// Fails if: two have the key at once, a lock is kept that no caller has, a caller that waits is not granted a free key, or a holder
  /// that listens is not told that the other asks.
  @Test func everyShortOrderKeepsThePromises() throws {
    #expect(try orders(World(), 9) > 10_000)
  }

  /// Fails if: a process that released the key because the other asked takes it again before that one.
  @Test func theOtherGoesFirst() throws {
    var world = World(yielding: .seconds(1_000))
    // One has the key, and knows that the other wants it.
    take([(0, .ask), (0, .send), (0, .receive), (0, .listen), (1, .ask), (1, .send), (0, .hear)], &world)
    #expect(try orders(world, 9) > 10_000)
  }

  /// Fails if: the word of another that asks is forgotten when it arrives before that of the grant.
  @Test func theOtherIsHeardBeforeTheGrant() {
    var world = World()
    take([(0, .ask), (0, .send), (1, .ask), (1, .send), (0, .hear), (0, .receive), (0, .listen)], &world)
    #expect(world.processes[0].isTold)
  }

  /// Fails if: keys that are asked for later are tried before one that has waited for that longer.
  @Test func thoseThatHaveWaitedLongestComeFirst() {
    var table = AccessTable()
    for key: Name in ["a", "b", "c"] { table.ask(key) { _ in } }
    var tried: [Name] = []
    for _ in 0..<7 {
      tried += table.nextBatch(1, saidEvery: .zero).tried.map(\.key)
      // What was tried in vain is wanted again.
      table.askAgain()
    }
    #expect(tried == ["a", "b", "c", "a", "b", "c", "a"])
  }

  private func take(_ steps: [(process: Int, act: World.Act)], _ world: inout World) {
    for step in steps {
      let isTaken = world.take(World.Step(process: step.process, act: step.act))
      #expect(isTaken)
    }
  }

  /// Takes so many steps in every order; returns how many orders there are.
  private func orders(_ world: World, _ steps: Int) throws -> Int {
    var count = 0
    for step in World.Step.all where steps > 0 {
      var next = world
      guard next.take(step) else { continue }
      if let fault = next.fault { throw Broken(fault: fault, steps: next.taken) }
      count += try orders(next, steps - 1)
    }
    if count > 0 { return count }
    var settled = world
    if let fault = settled.settle() { throw Broken(fault: fault, steps: world.taken) }
    return 1
  }

  private struct Broken: Error {
    let fault: String
    let steps: [World.Step]
  }
}

/// The tables of two processes, and what the server does for them.
private struct World {
  enum Act: CaseIterable { case ask, leave, release, listen, send, receive, hear }

  struct Step: CustomStringConvertible {
    let process: Int
    let act: Act
    var description: String { "\(act) \(process)" }
    static let all = [0, 1].flatMap { process in Act.allCases.map { Step(process: process, act: $0) } }
  }

  enum Caller { case away, asking, holding }

  enum Word { case asks, free }

  struct Process {
    var table = AccessTable()
    var caller = Caller.away
    var listens = false
    var isTold = false
    /// Whether the last statement got the key, until that is known here.
    var answer: Bool?
    var heard: [Word] = []
    /// Whether the other has waited since this one released the key for it.
    var hasYielded = false
  }

  private let key: Name = "key"
  private(set) var processes = [Process(), Process()]
  private var owner: Int?
  private var locks = 0
  private let yielding: Duration
  private(set) var fault: String?
  private(set) var taken: [Step] = []

  init(yielding: Duration = .zero) { self.yielding = yielding }

  /// Takes a step; returns whether it can be taken.
  mutating func take(_ step: Step) -> Bool {
    let (this, other) = (step.process, 1 - step.process)
    guard mayTake(step) else { return false }
    taken.append(step)
    switch step.act {
    case .ask:
      processes[this].caller = .asking
      processes[this].table.ask(key) { _ in }
    case .leave:
      processes[this].caller = .away
      processes[this].table.leave(key)
      processes[this].table.release(key, yieldingFor: .zero)
      processes[other].hasYielded = false
    case .release:
      let isAsked = processes[this].isTold && processes[other].caller == .asking
      processes[this].table.release(key, yieldingFor: yielding)
      (processes[this].caller, processes[this].listens, processes[this].isTold) = (.away, false, false)
      processes[this].hasYielded = isAsked && yielding > .zero
    case .listen:
      processes[this].listens = true
      if processes[this].table.observe(key, {}) { processes[this].isTold = true }
    case .send: return send(this)
    case .receive: receive(this)
    case .hear: hear(this)
    }
    return true
  }

  private func mayTake(_ step: Step) -> Bool {
    let process = processes[step.process]
    return switch step.act {
    case .ask: process.caller == .away
    case .leave: process.caller == .asking
    case .release: process.caller == .holding
    case .listen: process.caller == .holding && !process.listens
    case .send: process.answer == nil
    case .receive: process.answer != nil
    case .hear: !process.heard.isEmpty
    }
  }

  /// Tells the other, which hears it some time later.
  private mutating func say(_ word: Word, by process: Int) { processes[1 - process].heard.append(word) }

  /// Returns whether there was something to send.
  private mutating func send(_ this: Int) -> Bool {
    processes[this].table.askAgain()
    let batch = processes[this].table.nextBatch(10, saidEvery: .zero)
    if batch.isEmpty { return false }
    for released in batch.released {
      if owner != this { fault = "unlocks what it has not" }
      locks -= 1
      if locks == 0 { owner = nil }
      if released.isAwaited { say(.free, by: this) }
    }
    for tried in batch.tried {
      if owner == this { fault = "locks twice" }
      if owner == nil { (owner, locks) = (this, locks + 1) }
      processes[this].answer = owner == this
      if owner != this, tried.isSaid { say(.asks, by: this) }
    }
    if !batch.deferred.isEmpty { say(.asks, by: this) }
    return true
  }

  private mutating func receive(_ this: Int) {
    defer { processes[this].answer = nil }
    guard processes[this].answer == true, processes[this].table.grant(key) != nil else { return }
    if processes[this].caller != .asking { fault = "grants what no caller asks for" }
    if processes[1 - this].caller == .holding { fault = "two have the key" }
    if processes[this].hasYielded { fault = "takes it again first" }
    processes[this].caller = .holding
    processes[1 - this].hasYielded = false
  }

  private mutating func hear(_ this: Int) {
    switch processes[this].heard.removeFirst() {
    case .asks: if processes[this].table.asked(key) != nil { processes[this].isTold = true }
    case .free: _ = processes[this].table.freed(key)
    }
  }

  /// Lets the server answer and the processes hear until nothing happens; returns what is wrong then.
  mutating func settle() -> String? {
    for _ in 0..<4 {
      for process in [0, 1] {
        for act in [Act.receive, .send, .receive, .listen] { _ = take(Step(process: process, act: act)) }
        while take(Step(process: process, act: .hear)) {}
      }
    }
    if let fault { return fault }
    for this in [0, 1] where (owner == this) != (processes[this].caller == .holding) { return "a lock of no caller" }
    // One that lets the other go first does so for a time that never ends here.
    guard let asking = processes.firstIndex(where: { $0.caller == .asking }), yielding == .zero else { return nil }
    if owner == nil { return "a free key is not granted" }
    return processes[1 - asking].isTold ? nil : "a holder is not told"
  }
}
