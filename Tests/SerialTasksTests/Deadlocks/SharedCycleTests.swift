import CoalescingTasks
import Testing

/// Cycles through what callers share: flights, and reads that have a turn together.
@Suite(.watched) struct SharedCycleTests {
  let notes = SerialTaskExecutor(name: "notes")
  let profiles = TaskCoalescer<Int, Int>(name: "profiles")
  let repository = CoalescingTaskExecutor<Int>(name: "repository")
  let gate = Gate()

  /// ```
  /// flight 7:  leads ── gate ── waits for notes ········ notes ── 1
  /// job:       notes ─────────────────────────── joins 7 ✗
  /// ```
  /// Fails if: only flights that the caller's own chain has are looked at before joining.
  @Test func aJobThatJoinsAFlightWhichNeedsItsExecutor() async throws {
    let flight = Task.immediate { [gate, notes, profiles] in
      try await profiles.value(for: 7) {
        await gate.pass()
        return try await notes.enqueue { 1 }
      }
    }
    await gate.arrived()
    try await notes.enqueue {
      gate.open()
      try await notes.waits(for: 1)
      await expectCycle(["profiles[7]", "notes", "profiles[7]"]) { try await profiles.value(for: 7) { 2 } }
      #expect(profiles.snapshot.waiting == 1)
    }
    #expect(try await flight.value == 1)
  }

  /// ```
  /// flight 7:  leads ── gate ──────────────── notes ✗ ── 1
  /// job:       notes ── joins 7 ·························· 1
  /// ```
  /// Fails if: joining a flight adds no edge.
  @Test func aFlightThatNeedsTheExecutorOfOneWhoJoinedIt() async throws {
    let flight = Task.immediate { [gate, notes, profiles] in
      try await profiles.value(for: 7) {
        await gate.pass()
        await expectCycle(["notes", "profiles[7]", "notes"]) { try await notes.enqueue {} }
        return 1
      }
    }
    await gate.arrived()
    let job = waiting(notes) { [profiles] in try await profiles.value(for: 7) { 2 } }
    #expect(profiles.snapshot.waiting == 2)
    gate.open()
    #expect(try await (flight.value, job.value) == (1, 1))
  }

  /// ```
  /// flight 1:  leads ── gate ── joins 2 ············· 2
  /// flight 2:  leads ────────────────── joins 1 ✗ ── 2
  /// ```
  /// On one actor, where a caller is seen to wait only when it has parked and closed no cycle.
  ///
  /// Fails if: flights of others are not looked at before joining, or joining adds no edge.
  @Test @MainActor func aFlightThatJoinsAFlightThatJoinsTheFirst() async throws {
    let one = Task.immediate { @MainActor [gate, profiles] in
      try await profiles.value(for: 1) { @MainActor in
        await gate.pass()
        return try await profiles.value(for: 2) { 0 }
      }
    }
    await gate.arrived()
    let two = try await profiles.value(for: 2) { @MainActor [gate, profiles] in
      gate.open()
      try await profiles.waits(for: 3)
      await expectCycle(["profiles[1]", "profiles[2]", "profiles[1]"]) { try await profiles.value(for: 1) { 0 } }
      return 2
    }
    #expect(try await (one.value, two) == (2, 2))
  }

  /// ```
  /// read 1:  runs ── gate ── asks notes ································
  /// read 2:  two callers, one with a limit: lacks a slot
  /// job:     notes ──────────────────────── asks to write 2 ✗
  /// ```
  /// Fails if: a read is taken for one that leaves, because a caller of it does. (Then this hangs.)
  @Test(arguments: [[false, true], [true, false]]) func aReadThatSomeOfItsCallersLeave(limited: [Bool]) async throws {
    let one = CoalescingTaskExecutor<Int>(name: "one at a time", maximumConcurrentReads: 1)
    let reading = Task.immediate { [gate, notes] in
      try await one.read(1) {
        await gate.pass()
        return try await notes.enqueue { 1 }
      }
    }
    await gate.arrived()
    let callers = limited.map { isLimited in
      Task.immediate { try await one.read(2, waitingAtMost: isLimited ? .seconds(1_000) : nil) { 2 } }
    }
    try await notes.enqueue {
      gate.open()
      try await notes.waits(for: 1)
      let slots = "slots of one at a time (1, held by one at a time[1])"
      await expectCycle(["one at a time[2]", slots, "notes", "one at a time[2]"]) {
        try await one.write(touching: [2]) {}
      }
    }
    #expect(try await reading.value == 1)
    for caller in callers { #expect(try await caller.value == 2) }
  }

  /// ```
  /// read:   repository ── gate ───────────────────────── notes ✗ ── 1
  /// job:    notes ── waits to write, behind the read ··············· writes
  /// ```
  /// Fails if: reads are not taken for those who have the turn.
  @Test func aReadThatNeedsTheExecutorOfAWriteBehindIt() async throws {
    let read = Task.immediate { [gate, notes, repository] in
      try await repository.read(1) {
        await gate.pass()
        await expectCycle(["notes", "repository", "repository[1]", "notes"]) { try await notes.enqueue {} }
        return 1
      }
    }
    await gate.arrived()
    let job = waiting(notes) { [repository] in try await repository.write { 2 } }
    #expect(repository.snapshot.waiting == 1)
    gate.open()
    #expect(try await (read.value, job.value) == (1, 2))
  }

  /// ```
  /// read 1:  repository ── gate 1 ··················································· 1
  /// read 2:  repository ── gate ── waits for notes ·············· notes ── 2
  /// job:     notes ──────────────────────────────── write ✗
  /// ```
  /// Fails if: only the first of those who have the turn together is looked at.
  @Test func aWriteBehindTwoReadsOfWhichTheSecondNeedsItsExecutor() async throws {
    let idle = Gate()
    let one = Task.immediate { [repository] in
      try await repository.read(1) {
        await idle.pass()
        return 1
      }
    }
    let two = Task.immediate { [gate, notes, repository] in
      try await repository.read(2) {
        await gate.pass()
        return try await notes.enqueue { 2 }
      }
    }
    await idle.arrived()
    await gate.arrived()
    try await notes.enqueue {
      gate.open()
      try await notes.waits(for: 1)
      await expectCycle(["repository", "repository[2]", "notes", "repository"]) { try await repository.write {} }
    }
    idle.open()
    #expect(try await (one.value, two.value) == (1, 2))
  }

  /// All of these end when the job that holds `held` does, which waits for nothing.
  /// ```
  /// two:    read 1 ── gate ── waits for notes ✓
  ///         read 2 ── waits to write behind x and y
  /// notes:  job ── waits to read in two (either makes room)
  /// three:  read x ── R ── waits for held
  ///         read y ── waits for R
  /// ```
  /// The wait of `y` ends by that of `x`. If it is found after it, it is asked too early in a round from the far to the near.
  /// Which of them is found first depends on which began first.
  ///
  /// Fails if: the search drops waits in one round only.
  @Test(arguments: [true, false]) func aWaitThatEndsByAnother(isFoundFirst: Bool) async throws {
    let two = CoalescingTaskExecutor<Int>(name: "two", maximumConcurrentReads: 2)
    let three = CoalescingTaskExecutor<Int>(name: "three")
    let (r, held, ended) = (SerialTaskExecutor(name: "R"), await Held(), Log<Int>())
    let gates = [Gate(), Gate()]
    let (x, y) = isFoundFirst ? (0, 1) : (1, 0)
    let reads = gates.indices.map { index in
      reading(three, index) {
        await gates[index].pass()
        try await r.enqueue { if index == x { try await held.executor.enqueue {} } }
      }
    }
    gates[x].open()
    try await held.executor.waits(for: 1)
    gates[y].open()
    try await r.waits(for: 1)
    let one = reading(two, 1) { [gate, notes] in
      defer { ended(1) }
      await gate.pass()
      try await notes.enqueue {}
    }
    let other = reading(two, 2) { try await three.write {} }
    let job = waiting(notes) { try await two.read(3) {} }
    #expect([r.snapshot.waiting, three.snapshot.waiting, two.snapshot.waiting] == [1, 1, 1])
    gate.open()
    try await until { notes.snapshot.waiting == 1 || !ended.entries.isEmpty }
    try await held.release()
    for task in reads + [one, other, job] { try await task.value }
  }

  /// ```
  /// slow:   reads 9 (has the slot) ── gate ── waits for notes ✗
  /// read 1: waits for the slot: one caller with a limit, and one without
  /// job:    notes ── waits to write 1, behind the read
  /// ```
  /// Fails if: a read counts as ending by itself when only some of its callers have a limit. (Then this hangs.)
  @Test func aReadOfWhichOneCallerHasALimit() async throws {
    let one = CoalescingTaskExecutor<Int>(name: "one", maximumConcurrentReads: 1)
    let gate = Gate()
    let slow = reading(one, 9) { [notes] in
      await gate.pass()
      try await notes.enqueue {}
    }
    let limited = Task.immediate { try await one.read(1, waitingAtMost: .seconds(3_600)) {} }
    let unlimited = reading(one, 1) {}
    let job = waiting(notes) { try await one.write(touching: [1]) {} }
    try await one.waits(for: 2)
    gate.open()
    let outcomes = await [slow.result, job.result].map { result -> Bool in
      if case .failure(let error as JobRejection) = result, case .deadlock = error { true } else { false }
    }
    #expect(outcomes == [true, false])
    try await limited.value
    try await unlimited.value
  }

  /// Two may read at a time, and a third waits for room, which the job of `notes` waits for.
  /// ```
  /// read 1:  gate 1 ── waits for notes ·································· 1
  /// read 2:  gate 2 ─────────────────────────────────── notes ✗ ── 2
  /// job:     notes ── waits for read 3 (either makes room) ······· 3
  /// ```
  /// The wait for read 3 is no deadlock while read 2 does not wait; then it would be one. The job is on this test's actor, and
  /// so is seen to wait only when it has parked.
  ///
  /// Fails if: who waits for room is taken to wait for each of those that run; or the search follows a wait twice.
  @Test @MainActor func aReadThatWaitsForRoom() async throws {
    let two = CoalescingTaskExecutor<Int>(name: "two", maximumConcurrentReads: 2)
    let (first, second) = (Gate(), Gate())
    let one = Task.immediate { [notes] in
      try await two.read(1) {
        await first.pass()
        return try await notes.enqueue { 1 }
      }
    }
    let other = Task.immediate { [notes] in
      try await two.read(2) {
        await second.pass()
        let slots = "slots of two (2, held by two[1], two[2])"
        await expectCycle(["notes", "two[3]", slots, "notes"]) { try await notes.enqueue {} }
        return 2
      }
    }
    await first.arrived()
    await second.arrived()
    let job = Task.immediate { @MainActor [notes] in
      try await notes.enqueue {
        first.open()
        try await notes.waits(for: 1)
        return try await two.read(3) { 3 }
      }
    }
    try await two.waits(for: 1)
    second.open()
    #expect(try await (one.value, other.value, job.value) == (1, 2, 3))
  }
}
