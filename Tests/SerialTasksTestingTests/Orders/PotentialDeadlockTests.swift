import CoalescingTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Rings over everything that can be held and requested, and cases that are not rings.
@Suite(.watched) struct PotentialDeadlockTests {
  let notes = SerialTaskExecutor(name: "notes")
  let audit = SerialTaskExecutor(name: "audit")
  let bank = KeyedSerialTaskExecutor<String>(name: "bank")
  let store = CoalescingTaskExecutor<Int>(name: "store")
  let images = TaskCoalescer<Int, Int>(name: "images")

  /// Fails if: an order is recorded only when the call has to wait, or a ring is reported more than once.
  @Test func oppositeOrders() async throws {
    let found = try await potentialDeadlocks {
      for _ in 0..<3 {
        try await notes.enqueue(name: "save") { try await audit.enqueue(name: "log") {} }
        try await audit.enqueue(name: "report") { try await notes.enqueue {} }
      }
    }
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
    #expect(
      found.first?.requests == [
        PotentialDeadlock.Request(held: "notes", holder: "save", wanted: "audit", job: "log"),
        PotentialDeadlock.Request(held: "audit", holder: "report", wanted: "notes", job: nil),
      ])
  }

  /// Fails if: a drain of one key counts as a drain of all keys.
  @Test func aDrainOfOneKey() async throws {
    let gate = Gate()
    let found = try await potentialDeadlocks {
      let running = Task.immediate { [bank] in try await bank.enqueue(for: "ann") { await gate.pass() } }
      await gate.arrived()
      let drain = Task.immediate { [bank, notes] in try await notes.enqueue { try await bank.drain(for: "ann") } }
      gate.open()
      try await running.value
      try await drain.value
      try await bank.enqueue(for: "bob") { try await notes.enqueue {} }
    }
    #expect(found.isEmpty)
  }

  /// Fails if: one order is enough, or requests before or after the closure count.
  @Test func oneOrder() async throws {
    try await audit.enqueue { try await notes.enqueue {} }
    let found = try await potentialDeadlocks {
      try await notes.enqueue { try await audit.enqueue {} }
      try await notes.enqueue { try await audit.enqueue {} }
    }
    try await audit.enqueue { try await notes.enqueue {} }
    #expect(found.isEmpty)
  }

  /// Fails if: the recorded requests or their description change, or the text does not begin with a capital.
  @Test func itReadsAsSentences() async throws {
    let found = try await potentialDeadlocks {
      try await notes.enqueue { try await bank.enqueue(for: "ann", name: "pay") {} }
      try await bank.enqueue(forAll: ["bob", "ann"], name: "move") { try await notes.enqueue {} }
    }
    #expect(
      found.map(\.description) == [
        """
        Potential deadlock: notes → bank[ann] → notes. A job held “notes” and requested “bank[ann]” to run “pay”; “move” held \
        “bank[ann, bob]” and requested “notes”. Nothing hung this time. If the calls meet, each waits for the next, and the call \
        that closes the cycle is rejected as a deadlock. Take these in the same order everywhere, or request the inner one \
        after the outer turn has ended.
        """
      ])
  }

  /// Fails if: a call that had to wait, and then left or was rejected, is not recorded.
  @Test func whoLeftHasAsked() async throws {
    let gate = Gate()
    let found = try await potentialDeadlocks {
      let holder = Task.immediate { try await audit.enqueue { await gate.pass() } }
      await gate.arrived()
      let caller = Task.immediate { try await notes.enqueue { try await audit.enqueue {} } }
      try await audit.waits(for: 1)
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
      gate.open()
      try await holder.value
      try await audit.enqueue { try await notes.enqueue {} }
    }
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
  }

  /// Fails if: a deadlock that does happen is not reported.
  @Test func aRejectedCallHasAsked() async throws {
    let gate = Gate()
    let found = try await potentialDeadlocks {
      let holder = Task.immediate {
        try await audit.enqueue {
          await gate.pass()
          try await notes.enqueue {}
        }
      }
      await gate.arrived()
      let caller = Task.immediate { try await notes.enqueue { try await audit.enqueue {} } }
      try await audit.waits(for: 1)
      gate.open()
      await #expect(throws: JobRejection.self) { try await holder.value }
      try await caller.value
    }
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
  }

  // MARK: What can be held and asked for

  /// Fails if: different keys count as equal, or equal keys as different.
  @Test func keys() async throws {
    let found = try await potentialDeadlocks {
      try await bank.enqueue(for: "ann") { try await bank.enqueue(for: "bob") {} }
      try await bank.enqueue(for: "bob") { try await bank.enqueue(for: "ann") {} }
      try await bank.enqueue(for: "ann") { try await bank.enqueue(for: "cid") {} }
      try await bank.enqueue(for: "dan") { try await bank.enqueue(for: "ann") {} }
    }
    #expect(found.map(\.path) == [["bank[ann]", "bank[bob]", "bank[ann]"]])
  }

  /// Fails if: there is an order inside a set, or a set does not link its keys.
  @Test func keySets() async throws {
    var found = try await potentialDeadlocks {
      try await bank.enqueue(forAll: ["ann", "bob"]) { try await notes.enqueue {} }
      try await bank.enqueue(forAll: ["bob", "ann"]) { try await notes.enqueue {} }
    }
    #expect(found.isEmpty)
    found = try await potentialDeadlocks {
      try await notes.enqueue { try await bank.enqueue(for: "ann") {} }
      try await bank.enqueue(for: "bob") { try await notes.enqueue {} }
    }
    #expect(found.isEmpty)
    found = try await potentialDeadlocks {
      try await notes.enqueue { try await bank.enqueue(for: "ann") {} }
      try await bank.enqueue(for: "bob") { try await notes.enqueue {} }
      try await bank.enqueue(forAll: ["ann", "bob"]) {}
    }
    #expect(found.map(\.path) == [["notes", "bank[ann]", "bank[bob]", "notes"]])
  }

  /// Fails if: a free key that is taken together with others is not recorded, as wanted or as held.
  @Test func keysBesideOthers() async throws {
    let gate = Gate()
    let found = try await potentialDeadlocks {
      let other = Task.immediate { try await bank.enqueue(for: "zoe") { await gate.pass() } }
      await gate.arrived()
      try await notes.enqueue { try await bank.enqueue(for: "ann") {} }
      try await bank.enqueue(for: "ann") { try await notes.enqueue {} }
      gate.open()
      try await other.value
    }
    #expect(found.map(\.path) == [["notes", "bank[ann]", "notes"]])
  }

  /// Fails if: a read or a write is not recorded, equal reads are not one read, or reads of different types block each other
  /// without a write.
  @Test func readsAndWrites() async throws {
    #expect(
      try await pathOfRing({ try await store.write {} }, { try await store.write($0) }) == ["notes", "store", "notes"])
    #expect(
      try await pathOfRing(
        { try await store.write(touching: [1]) {} }, { body in try await store.read(1) { try await body() } })
        == ["notes", "store[1]", "notes"])
    #expect(
      try await pathOfRing({ try await store.read(1) {} }, { body in try await store.read(1) { try await body() } })
        == ["notes", "store[1]", "notes"])
    #expect(
      try await pathOfRing(
        { _ = try await store.read(1) { 1 } }, { body in try await store.read(1) { try await body() } }) == nil)
    #expect(
      try await pathOfRing(
        { _ = try await store.read(1) { 1 } },
        { body in
          try await store.read(1) { try await body() }
          try await store.write {}
        }) == ["notes", "store[1]", "store[1]", "notes"])
  }

  /// Fails if: a shared operation is not recorded, as wanted or as held.
  @Test func flights() async throws {
    let path = try await pathOfRing(
      { _ = try await images.value(for: 1) { 1 } },
      { body in
        _ = try await images.value(for: 1) {
          try await body()
          return 1
        }
      })
    #expect(path == ["notes", "images[1]", "notes"])
  }

  /// Fails if: a load is not recorded, as wanted or as held.
  @Test func reloads() async throws {
    let asks = Reloader<Reason, Int>(name: "screen") { [notes] _ in
      try await notes.enqueue { 1 }
    } apply: { _ in
    }
    let found = try await potentialDeadlocks {
      _ = try await asks.reload(Reason())
      await #expect(throws: JobRejection.self) { try await notes.enqueue { try await asks.reload(Reason()) } }
    }
    #expect(found.map(\.path) == [["screen", "notes", "screen"]])
  }

  /// Fails if: a renewal is not recorded, as wanted or as held, or a valid value is.
  @Test func renewals() async throws {
    let session = RenewingValue<Int>(name: "session") { [notes] _ in
      try await notes.enqueue { Renewed(1, validFor: .zero) }
    }
    var found = try await potentialDeadlocks {
      _ = try await session.value()
      await #expect(throws: JobRejection.self) { try await notes.enqueue { try await session.value() } }
    }
    #expect(found.map(\.path) == [["session", "notes", "session"]])
    let valid = RenewingValue<Int> { [notes] _ in try await notes.enqueue { Renewed(1, validFor: .seconds(60)) } }
    found = try await potentialDeadlocks {
      _ = try await valid.value()
      _ = try await notes.enqueue { try await valid.value() }
    }
    #expect(found.isEmpty)
  }

  /// Fails if: awaiting a submitted job is not recorded, or only while the job has not ended.
  @Test(arguments: [false, true]) func awaitedJobs(_ hasEnded: Bool) async throws {
    let path = try await pathOfRing(
      {
        let job = audit.submit(name: "log") {}
        if hasEnded { try await audit.drain() }
        try await job.value
      }, { try await audit.enqueue($0) })
    #expect(path == ["notes", "audit", "notes"])
  }

  /// Fails if: awaiting a keyed job that has ended is not recorded.
  @Test func awaitedJobsOfKeys() async throws {
    let found = try await potentialDeadlocks {
      let job = bank.submit(for: "ann") { try await notes.enqueue {} }
      try await job.value
      try await notes.enqueue { try await job.value }
    }
    #expect(found.map(\.path) == [["bank[ann]", "notes", "bank[ann]"]])
  }

  /// Fails if: a job that awaits another job's result before its own request makes a ring, although it held no turn.
  @Test func awaitingOutsideOfTurns() async throws {
    let found = try await potentialDeadlocks {
      try await bank.submit(for: "ann") { try await notes.enqueue {} }.value
      try await notes.submit { try await audit.enqueue {} }.value
    }
    #expect(found.isEmpty)
  }

  /// Fails if: a drain that has to wait is not recorded: of a line, a key, or an owner of flights.
  @Test func drains() async throws {
    let found = try await potentialDeadlocks {
      try await drain({ gate in try await audit.enqueue { await gate.pass() } }) { try await audit.drain() }
      try await drain({ gate in try await bank.enqueue(for: "ann") { await gate.pass() } }) {
        try await bank.drain(for: "ann")
      }
      try await drain({ gate in try await store.write { await gate.pass() } }) { try await store.drain() }
      try await drain({ gate in
        _ = try await images.value(for: 1) {
          await gate.pass()
          return 1
        }
      }) { try await images.drain() }
      try await audit.enqueue { try await notes.enqueue {} }
      try await bank.enqueue(for: "ann") { try await notes.enqueue {} }
      _ = try await store.read(1) { [notes] in try await notes.enqueue {} }
      _ = try await images.value(for: 2) { [notes] in try await notes.enqueue { 1 } }
    }
    #expect(
      Set(found.map(\.path)) == [
        ["notes", "audit", "notes"], ["notes", "bank[ann]", "notes"], ["notes", "store[1]", "notes"],
        ["notes", "images[2]", "notes"],
      ])
  }

  /// Drains inside a job of `notes`, while another job is held at a gate.
  private func drain(
    _ hold: @escaping @Sendable (Gate) async throws -> Void, _ drain: @escaping @Sendable () async throws -> Void
  ) async throws {
    let gate = Gate()
    let running = Task.immediate { try await hold(gate) }
    await gate.arrived()
    // It waits before its first suspension, inside this call.
    let drainer = Task.immediate { try await notes.enqueue { try await drain() } }
    gate.open()
    try await running.value
    try await drainer.value
  }

  /// Fails if: the only slot does not block, or one of two does.
  @Test func slots() async throws {
    for count in 1...2 {
      let few = KeyedSerialTaskExecutor<String>(name: "few", maximumConcurrentJobs: count)
      var found = try await potentialDeadlocks {
        try await notes.enqueue { try await few.enqueue(for: "ann") {} }
        try await few.enqueue(for: "bob") { try await notes.enqueue {} }
      }
      #expect(found.map(\.path) == (count == 1 ? [["notes", "slots of few (1)", "notes"]] : []))
      found = try await potentialDeadlocks {
        try await notes.enqueue { try await few.enqueue(for: "ann") {} }
        for key in ["bob", "cid"] { try await few.enqueue(for: key) { try await notes.enqueue {} } }
      }
      #expect(found.first?.path == ["notes", "slots of few (\(count))", "notes"])
      if count == 2 {
        #expect(
          found.first?.description.contains("The other slots may be held meanwhile: a job held “few[cid]”") == true)
      }
    }
  }

  // MARK: Rules

  /// Fails if: orders are between names, or between successive executors with the same address.
  @Test func eachInstanceIsItsOwn() async throws {
    let found = try await potentialDeadlocks {
      for round in 0..<50 {
        let (one, other) = (SerialTaskExecutor(name: "a"), SerialTaskExecutor(name: "a"))
        let (first, second) = round.isMultiple(of: 2) ? (one, other) : (other, one)
        try await first.enqueue { try await second.enqueue {} }
      }
    }
    #expect(found.isEmpty)
  }

  /// Fails if: requests that are only made inside turns of one line can meet, or those of child tasks in one turn cannot.
  @Test func aGate() async throws {
    let gate = SerialTaskExecutor(name: "gate")
    var found = try await potentialDeadlocks {
      try await gate.enqueue { try await notes.enqueue { try await audit.enqueue {} } }
      try await gate.enqueue { try await audit.enqueue { try await notes.enqueue {} } }
    }
    #expect(found.isEmpty)
    found = try await potentialDeadlocks {
      try await gate.enqueue {
        try await notes.enqueue { try await audit.enqueue {} }
        try await audit.enqueue { try await notes.enqueue {} }
      }
    }
    #expect(found.isEmpty)
    found = try await potentialDeadlocks {
      try await bank.enqueue(for: "ann") { try await notes.enqueue { try await audit.enqueue {} } }
      try await bank.enqueue(for: "bob") { try await audit.enqueue { try await notes.enqueue {} } }
    }
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
  }

  /// Fails if: child tasks of one turn count as one task.
  @Test(.enabled(if: childrenAreCertain)) func childTasksMeetInsideAGate() async throws {
    let gate = SerialTaskExecutor(name: "gate")
    let ends = Gate()
    let found = try await potentialDeadlocks {
      try await gate.enqueue {
        async let first: Void = notes.enqueue {
          try await audit.enqueue {}
          ends.open()
        }
        async let second: Void = {
          await ends.pass()
          try await audit.enqueue { try await notes.enqueue {} }
        }()
        _ = try await (first, second)
      }
    }
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
  }

  /// Fails if: a call with a limit closes a ring (on a line, on a key, on a key with others, in a write, in a read, or after a
  /// wait), or what is held in its turn does not count.
  @Test func aLimitClosesNoRing() async throws {
    let limit = Duration.seconds(86_400)
    let calls: [@Sendable () async throws -> Void] = [
      { [audit] in try await audit.enqueue(waitingAtMost: limit) {} },
      { [audit] in try await audit.enqueue(name: "limited", waitingAtMost: limit) {} },
      { [bank] in try await bank.enqueue(for: "ann", waitingAtMost: limit) {} },
      { [store] in try await store.write(waitingAtMost: limit) {} },
      { [store] in try await store.write(touching: [1], waitingAtMost: limit) {} },
      { [store] in _ = try await store.read(1, waitingAtMost: limit) { 1 } },
    ]
    let gate = Gate()
    let found = try await potentialDeadlocks {
      for call in calls { try await notes.enqueue { try await call() } }
      let others = [
        Task.immediate { try await bank.enqueue(for: "zoe") { await gate.pass() } },
        Task.immediate { try await store.write(touching: [7]) { await gate.pass() } },
      ]
      await gate.arrived(2)
      for index in [2, 4, 5] { try await notes.enqueue { try await calls[index]() } }
      gate.open()
      for other in others { try await other.value }
      try await audit.enqueue { try await notes.enqueue {} }
      try await bank.enqueue(for: "ann") { try await notes.enqueue {} }
      try await store.write { try await notes.enqueue {} }
      try await store.read(1) { [notes] in try await notes.enqueue {} }
    }
    #expect(found.isEmpty)
    let held = try await potentialDeadlocks {
      try await notes.enqueue(waitingAtMost: limit) { try await audit.enqueue {} }
      try await audit.enqueue { try await notes.enqueue {} }
    }
    #expect(held.map(\.path) == [["notes", "audit", "notes"]])
  }

  /// The limit is on waiting for a turn: a caller that joins a read that has begun waits for its end.
  ///
  /// Fails if: a read with a limit is not recorded.
  @Test func aLimitedReadMayJoinAnEqualOne() async throws {
    let path = try await pathOfRing(
      { try await store.read(1, waitingAtMost: .seconds(86_400)) {} },
      { body in try await store.read(1) { try await body() } })
    #expect(path == ["notes", "store[1]", "notes"])
  }

  /// Fails if: a call with a limit that had to wait counts once it has its turn.
  @Test(arguments: [false, true]) func aLimitThatHadToWait(_ isKeyed: Bool) async throws {
    let gate = Gate()
    let found = try await potentialDeadlocks {
      let holder = Task.immediate {
        if isKeyed {
          try await bank.enqueue(for: "ann") { await gate.pass() }
        } else {
          try await audit.enqueue { await gate.pass() }
        }
      }
      await gate.arrived()
      let caller = Task.immediate {
        try await notes.enqueue {
          if isKeyed {
            try await bank.enqueue(for: "ann", waitingAtMost: .seconds(86_400)) {}
          } else {
            try await audit.enqueue(waitingAtMost: .seconds(86_400)) {}
          }
        }
      }
      if isKeyed { try await bank.waits(for: 1) } else { try await audit.waits(for: 1) }
      gate.open()
      try await holder.value
      try await caller.value
      try await audit.enqueue { try await notes.enqueue {} }
      try await bank.enqueue(for: "ann") { try await notes.enqueue {} }
    }
    #expect(found.isEmpty)
  }

  /// Fails if: an unstructured task holds the turn of the job that started it, or does not hold its own.
  @Test func anUnstructuredTaskHoldsNothing() async throws {
    var found = try await potentialDeadlocks {
      let started = try await notes.enqueue { Task { try await audit.enqueue {} } }
      try await started.value
      try await audit.enqueue { try await notes.enqueue {} }
    }
    #expect(found.isEmpty)
    found = try await potentialDeadlocks {
      try await Task { try await notes.enqueue { try await audit.enqueue {} } }.value
      try await audit.enqueue { try await notes.enqueue {} }
    }
    #expect(found.map(\.path) == [["notes", "audit", "notes"]])
  }

  // MARK: -

  /// The path of the only ring between `notes` and what these hold and request; `nil` if there is none.
  private func pathOfRing(
    _ asks: @escaping @Sendable () async throws -> Void,
    _ holds: @escaping @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void
  ) async throws -> [String]? {
    let found = try await potentialDeadlocks {
      try await notes.enqueue { try await asks() }
      try await holds { [notes] in try await notes.enqueue {} }
    }
    #expect(found.count <= 1)
    return found.first?.path
  }
}

private struct Reason: ReloadReason { var policy: ReloadPolicy { .join } }
