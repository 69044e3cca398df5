import Testing

@testable import SerialTasks

/// Whom the state of a line raises, by place and priority alone; that tasks are really raised is tested in `PriorityTests`.
@Suite(.watched) struct LinePriorityTests {
  /// Jobs over keys in a line of their own.
  private struct Jobs: ~Copyable {
    private let line = KeyedLine<String>(name: nil, type: .serialTaskExecutor)
    private let keys = KeyTable<String>()
    private var state: LineState
    private(set) var waiters: [Job] = []

    init(slots: Int? = nil) {
      state = LineState(table: keys, slots: slots)
      state.line = line
    }

    /// Submits a job over these keys, every key if there are none; returns whom it raises, if it waits.
    mutating func join(_ name: String, _ names: [String], _ priority: UInt8, isRead: Bool = false, slot: Bool = false)
      -> Set<String>?
    {
      come(name, names, priority, kind: isRead ? [.read, .slot] : slot ? .slot : [])
    }

    private mutating func come(_ name: String, _ names: [String], _ priority: UInt8, kind: Job.Kind) -> Set<String>? {
      let job = Job(.submitted, name: name, priority: priority)
      waiters.append(job)
      job.kind = kind
      keys.prepare(job, touching: names.isEmpty ? .everyKey : Touched(names), &state)
      return state.join(job).raised
    }

    /// A read that is called in a job of another key.
    mutating func nest(_ name: String, _ key: String, _ priority: UInt8) -> Set<String>? {
      come(name, [key], priority, kind: [.read, .nested, .first])
    }

    /// A write of every key that is called in a job that touches another.
    mutating func nestEveryKey(_ name: String, _ priority: UInt8) -> Set<String>? {
      come(name, [], priority, kind: .nested)
    }

    /// The job finds the line paused when it begins, and waits again; returns whom it raises.
    mutating func waitAgain(_ index: Int) -> Set<String> {
      guard case .waitAgain = state.begin(waiters[index]) else { return ["it began"] }
      return state.giveWay(waiters[index], waitingSince: WaitStart()).escalations.raised
    }

    /// A task of this priority awaits the job.
    mutating func escalate(_ index: Int, to priority: UInt8) -> Set<String> {
      state.escalate(waiters[index], to: priority).raised
    }

    mutating func leave(_ index: Int) { _ = state.leave(waiters[index], .cancelled) }

    /// Ends the job, as if it had begun; returns whom that raises.
    mutating func finish(_ index: Int) -> Set<String> { state.finish(waiters[index]).effects.escalations.raised }

    mutating func pause() { state.pause() }

    mutating func resume() -> Set<String> { state.resume().escalations.raised }
  }

  /// Fails if: only the first key of a job is looked at, what waits for another key is raised, or the walk ends at a job that
  /// waits itself.
  @Test func allThatIsAheadOnEachKeyIsRaisedAndNoMore() {
    var jobs = Jobs()
    _ = jobs.join("a", ["a"], 9)
    _ = jobs.join("b", ["b"], 9)
    _ = jobs.join("c", ["c"], 9)
    _ = jobs.join("ab", ["b", "a"], 9)
    _ = jobs.join("cd", ["d", "c"], 9)
    #expect(jobs.join("urgent", ["a", "d"], 25) == ["a to 25", "b to 25", "c to 25", "ab to 25", "cd to 25"])
    _ = jobs.join("e", ["e"], 9)
    #expect(jobs.join("another", ["b"], 21) == [])
    #expect(jobs.join("last", ["e", "b"], 25) == ["e to 25", "another to 25"])
  }

  /// Fails if: what was raised is not remembered, so that each arrival walks the whole queue again.
  @Test func whatWasRaisedIsNotRaisedAgain() {
    var jobs = Jobs()
    _ = jobs.join("a", ["a"], 9)
    #expect(jobs.join("first", ["a"], 25) == ["a to 25"])
    #expect(jobs.join("second", ["a"], 25) == [])
    #expect(jobs.join("third", ["a"], 21) == [])
    #expect(jobs.join("fourth", ["a"], 25) == ["third to 25"])
  }

  /// Fails if: one of several reads that share a key is left out, because another was raised; or reads raise each other.
  @Test func everyReadAheadOfAWriteIsRaised() {
    var jobs = Jobs()
    _ = jobs.join("low", ["a"], 9, isRead: true)
    _ = jobs.join("high", ["a"], 25, isRead: true)
    _ = jobs.join("middle", ["a"], 17, isRead: true)
    #expect(jobs.join("write", ["a"], 21) == ["low to 21", "middle to 21"])
    #expect(jobs.join("every key", [], 25) == ["low to 25", "middle to 25", "write to 25"])
    #expect(
      jobs.join("behind", ["new"], 33, isRead: true) == [
        "low to 33", "high to 33", "middle to 33", "write to 33", "every key to 33",
      ])
  }

  /// Fails if: what was known of those who stood between is taken for what stands there when they have left.
  @Test func whoLeavesHidesNobody() {
    var jobs = Jobs()
    _ = jobs.join("low", ["a"], 9)
    _ = jobs.join("urgent", ["a"], 25)
    jobs.leave(1)
    _ = jobs.join("low too", ["a"], 9)
    #expect(jobs.join("next", ["a"], 25) == ["low too to 25"])
    #expect(jobs.waiters[0].raisedTo == 25)
    jobs.leave(2)
    #expect(jobs.join("last", ["a"], 33) == ["low to 33", "next to 33"])
  }

  /// Fails if: a read that goes before others is not raised as they are, on arrival or when it takes the place of one that is
  /// put back, or is not raised with them later.
  @Test func whatGoesFirstIsRaised() {
    var jobs = Jobs()
    _ = jobs.join("read", ["a"], 9, isRead: true)
    _ = jobs.join("urgent", ["a"], 21)
    #expect(jobs.nest("nested", "a", 9) == nil)
    #expect(jobs.waiters[2].raisedTo == 21)
    #expect(jobs.escalate(1, to: 25) == ["urgent to 25", "read to 25", "nested to 25"])

    jobs = Jobs()
    _ = jobs.join("write", ["a"], 25)
    #expect(jobs.nest("nested", "a", 9) == [])
    jobs.pause()
    #expect(jobs.waitAgain(0) == ["nested to 25"])
    #expect(jobs.escalate(0, to: 33) == ["write to 33", "nested to 33"])
  }

  /// ```
  ///   holder runs ── every key ── low ── last        nested goes before "every key"
  /// ```
  /// Fails if: what is at the end of the queue then counts as raised as high as what went before, or what goes before is not as high
  /// as all that wait for it.
  @Test func whoGoesBeforeOthersHidesNobody() {
    var jobs = Jobs()
    _ = jobs.join("holder", ["a"], 9)
    _ = jobs.join("every key", [], 9)
    _ = jobs.join("low", ["b"], 9)
    #expect(jobs.nestEveryKey("nested", 25) == ["holder to 25"])
    #expect(jobs.join("last", [], 21) == ["low to 21", "every key to 21"])

    jobs = Jobs()
    _ = jobs.join("every key", [], 9)
    _ = jobs.join("low", ["b"], 9)
    _ = jobs.join("urgent", ["c"], 25)
    _ = jobs.nestEveryKey("nested", 9)
    #expect(jobs.waiters[3].raisedTo == 25)
  }

  /// A job that waits for nothing but a slot is alone on its key.
  ///
  /// Fails if: what goes before it then counts as raised, since nothing was ahead of it until then.
  @Test func whatGoesBeforeAJobWithoutASlotIsRaised() {
    var jobs = Jobs(slots: 1)
    _ = jobs.join("holder", ["b"], 9, slot: true)
    _ = jobs.join("write", ["a"], 9, slot: true)
    #expect(jobs.nest("nested", "a", 9) == nil)
    #expect(jobs.escalate(1, to: 25).isSuperset(of: ["write to 25", "nested to 25"]))
  }

  /// Fails if: a job that waits for nothing but a slot does not raise those that have one, or those that stand before it.
  @Test func whoWaitsForASlotRaisesThoseThatHaveOne() {
    var jobs = Jobs(slots: 2)
    _ = jobs.join("a", ["a"], 9, slot: true)
    _ = jobs.join("b", ["b"], 17, slot: true)
    _ = jobs.join("free", ["c"], 9)
    #expect(jobs.join("d", ["d"], 9, slot: true) == [])
    #expect(jobs.join("urgent", ["e"], 21, slot: true) == ["a to 21", "b to 21", "d to 21"])
    #expect(jobs.join("again", ["f"], 21, slot: true) == [])
  }

  /// Fails if: a job that has waited for a key, and then waits for a slot, does not raise those that got the slots instead.
  @Test func whoComesToWaitForASlotRaisesThoseThatGotIt() {
    var jobs = Jobs(slots: 1)
    _ = jobs.join("every key", [], 9)
    _ = jobs.join("low", ["a"], 9, isRead: true)
    #expect(jobs.join("urgent", ["b"], 25, isRead: true) == ["every key to 25"])
    #expect(jobs.finish(0) == ["low to 25"])
    #expect(jobs.waiters.map(\.raisedTo) == [25, 25, 25])
  }

  /// Fails if: of several jobs that come to wait for a slot together, only the last raises those before it; or the end of the pause
  /// in which they came does not raise what has waited for longer.
  @Test func whoComeToWaitForASlotTogetherEachRaiseThoseBeforeThem() {
    for isPaused in [false, true] {
      var jobs = Jobs(slots: 1)
      _ = jobs.join("every key", [], 9)
      if isPaused { jobs.pause() }
      for (name, priority) in [("a", 9), ("b", 25), ("c", 9), ("d", 21)] as [(String, UInt8)] {
        _ = jobs.join(name, [name], priority, isRead: true)
      }
      if isPaused {
        _ = jobs.finish(0)
        #expect(jobs.resume() == ["a to 25", "c to 21"])
      } else {
        #expect(jobs.finish(0) == ["a to 25", "c to 21"])
      }
      #expect(jobs.finish(1) == [])
      #expect(jobs.waiters.dropFirst().map(\.raisedTo) == [25, 25, 21, 21])
    }
  }

  /// Fails if: who gets a slot when another holder was raised already counts as raised like that one.
  @Test func whoGetsASlotLaterIsRaisedToo() {
    var jobs = Jobs(slots: 2)
    _ = jobs.join("urgent", ["a"], 25, slot: true)
    _ = jobs.join("low", ["b"], 9, slot: true)
    #expect(jobs.join("waiting", ["c"], 21, slot: true) == ["low to 21"])
  }

  /// Fails if: a job that came while the line was paused does not raise those that get the slots before it.
  @Test func whoCameInAPauseRaisesThoseThatGetTheSlots() {
    var jobs = Jobs(slots: 1)
    jobs.pause()
    _ = jobs.join("low", ["a"], 9, isRead: true)
    _ = jobs.join("urgent", ["b"], 25, isRead: true)
    #expect(jobs.resume() == ["low to 25"])
  }

  // Jobs that touch every key, as all do in a line without keys.

  /// Fails if: the walk stops one too early, or does not stop at the first that is high enough.
  @Test func everythingAheadIsRaisedAndNoMore() {
    var jobs = Jobs()
    for (name, priority) in [("0", 9), ("1", 25), ("2", 9), ("3", 9)] as [(String, UInt8)] {
      _ = jobs.join(name, [], priority)
    }
    #expect(jobs.waiters.map(\.raisedTo) == [25, 25, 9, 9])
    #expect(jobs.join("urgent", [], 21) == ["2 to 21", "3 to 21"])
    #expect(jobs.join("another", [], 21) == [])
    jobs.leave(4)
    #expect(jobs.waiters.map(\.raisedTo).dropLast() == [25, 25, 21, 21, 21])
  }

  /// ```
  ///   first runs ── a ── b ── second ── c ── third leaves ── urgent
  /// ```
  /// Fails if: what is known of the jobs behind a whole job is lost, or believed of others, when a whole job leaves.
  @Test func whatStandsBehindWholeJobsIsRaised() {
    var jobs = Jobs()
    _ = jobs.join("first", [], 9)
    _ = jobs.join("a", ["a"], 9)
    _ = jobs.join("b", ["b"], 17)
    #expect(jobs.join("second", [], 17) == ["a to 17"])
    _ = jobs.join("c", ["a"], 9)
    _ = jobs.join("third", [], 17)
    jobs.leave(5)
    #expect(jobs.join("urgent", [], 21) == ["first to 21", "a to 21", "b to 21", "second to 21", "c to 21"])
    jobs.leave(6)
    jobs.leave(3)
    _ = jobs.join("d", ["d"], 9)
    #expect(jobs.join("last", [], 21) == ["d to 21"])
  }

  /// Fails if: what is known of the jobs behind one whole job is taken for those behind another, which has left.
  @Test func groupsThatBecomeOne() {
    var jobs = Jobs()
    #expect(jobs.join("running", [], 10) == nil)
    #expect(jobs.join("one", ["one"], 10) == [])
    #expect(jobs.join("urgent", [], 30) == ["running to 30", "one to 30"])
    #expect(jobs.join("two", ["two"], 10) == [])
    jobs.leave(2)
    #expect(jobs.join("last", [], 30) == ["two to 30"])
  }

  /// Fails if: a turn goes the short way to a caller that was raised while it waited, so that its task is not.
  @Test func whoWasRaisedIsNotHandedTheTurnTheShortWay() {
    var state = LineState.alone()
    let jobs = [25, 9, 25].map { Job(.submitted, priority: $0) }
    for job in jobs {
      _ = state.join(job)
      job.awaitsTask = false
    }
    #expect(jobs[1].raisedTo == 25)
    if case .none = state.finishShortly(jobs[0]) {} else { Issue.record("it was not raised") }
    _ = state.finish(jobs[0])
    if case .handedOn = state.finishShortly(jobs[1]) {} else { Issue.record("no job had to be raised") }
  }

  /// Two raise it at the same time, and it must wait for both.
  ///
  /// Fails if: each of those that raise a caller has a pin of its own, so that the caller waits for the last only.
  @Test(arguments: [false, true]) func aCallerThatIsRaisedTwiceHasOnePin(hasPlace: Bool) async throws {
    var state = LineState.alone()
    if hasPlace {
      _ = state.join(CallerJob(priority: 9, task: .current))
    } else {
      _ = state.enter(name: nil, task: .current)
      state.settle()
    }
    let pins = ([17, 25] as [UInt8]).compactMap { priority -> EscalationPin? in
      guard case .waiting(.one(let escalation)) = state.join(Job(priority: priority)),
        case .caller(let pin) = escalation.target
      else { return nil }
      return pin
    }
    try #require(pins.count == 2)
    #expect(pins[0] === pins[1])
    #expect(state.holder?.pin === pins[0])
  }
}
