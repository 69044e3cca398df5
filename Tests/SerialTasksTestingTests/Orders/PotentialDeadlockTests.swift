import CoalescingTasks
import TestWatch
import Testing

@testable import SerialTasksTesting

/// What is said of a ring, and what only code can show.
@Suite(.watched) struct PotentialDeadlockTests {
  let notes = SerialTaskExecutor(name: "notes")
  let audit = SerialTaskExecutor(name: "audit")
  let bank = KeyedSerialTaskExecutor<String>(name: "bank")

  private func rings(_ body: () async throws -> Void) async throws -> [String] {
    try await potentialDeadlocks(body).map { $0.path.joined(separator: " → ") }
  }

  /// Fails if: the recorded requests or their description change, a request is described as when it was last seen, or the text does not
  /// begin with a capital.
  @Test func itReadsAsSentences() async throws {
    let found = try await potentialDeadlocks {
      for name in ["pay", "pay later"] {
        try await notes.enqueue { try await bank.enqueue(for: "ann", name: name) {} }
        try await bank.enqueue(touching: ["bob", "ann"], name: "move") { try await notes.enqueue {} }
      }
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

  /// Fails if: what holds the other slots is not named, or is named by another turn that it holds.
  @Test func theOtherSlots() async throws {
    let calls = Calls()
    let found = try await potentialDeadlocks {
      try await calls.make("A → slots[a], slots[b] → A, B → slots[c] → C → A")
    }
    let words = "The other slots may be held meanwhile: a job held “slots[c]” and requested “A”."
    #expect(found.first?.description.contains(words) == true, "\(found)")
  }

  /// Fails if: a deadlock that does happen is not reported.
  @Test func aRejectedCallHasAsked() async throws {
    let (calls, gate) = (Calls(), Gate())
    let found = try await rings {
      let holder = Task.immediate {
        try await calls.take("A") {
          await gate.pass()
          try await calls.take("B")
        }
      }
      await gate.waitForArrivals()
      let caller = Task.immediate { try await calls.make("B → A") }
      gate.open()
      await #expect(throws: JobRejection.self) { try await holder.value }
      try await caller.value
    }
    #expect(found == ["B → A → B"])
  }

  /// Fails if: a deadlock that does happen is not reported because the caller's own turn closes it, or because its error is caught, is
  /// reported once for each call, or is called a potential one; or what is rejected elsewhere is reported.
  @Test(arguments: [
    ("A → A", "A → A"), ("A → B → A", "A → B → A"), ("A → submit A", "A → A"), ("A → drain A", "A → A"),
    ("keys[a] → keys[b] → keys[a]", "keys[a] → keys[b] → keys[a]"), ("keys[a] → drain keys", "keys → keys[a] → keys"),
    ("notes(a) → notes{a}", "notes[a] → notes[a]"), ("images(a) → images(a)", "images[a] → images[a]"),
  ])
  func aCallThatWaitsForItsOwnTurn(_ call: String, _ path: String) async throws {
    let calls = Calls()
    let found = await potentialDeadlocks {
      for _ in 0..<2 { await #expect(throws: JobRejection.self) { try await calls.make(call) } }
    }
    #expect(found.map { $0.path.joined(separator: " → ") } == [path])
    #expect(found.allSatisfy { $0.description.hasPrefix("Deadlock: \(path).") && !$0.requests.isEmpty })
    let elsewhere = await potentialDeadlocks { try? await Task.detached { try await calls.make(call) }.value }
    #expect(elsewhere.isEmpty)
  }

  /// Fails if: a shutdown in a job, which does not wait for that job, is reported.
  @Test(arguments: [0, 60]) func aShutdownInAJob(seconds: Int) async throws {
    let found = try await potentialDeadlocks {
      let hasEnded = try await notes.enqueue { await notes.shutDown(within: .seconds(seconds)) }
      #expect(!hasEnded)
    }
    #expect(found.isEmpty)
  }

  /// Fails if: a job of a key that runs beside another, or a submitted job that is awaited, is not called by its name.
  @Test func namedJobs() async throws {
    let gate = Gate()
    let other = Task.immediate { try await bank.enqueue(for: "bob") { await gate.pass() } }
    let found = try await potentialDeadlocks {
      let note = notes.submit(name: "note") {}
      try await bank.enqueue(for: "ann", name: "pay") { try await note.value }
      try await notes.enqueue(name: "sum") { try await bank.enqueue(for: "ann", name: "book") {} }
    }
    #expect(
      found.map(\.requests) == [
        [
          .init(held: "bank[ann]", holder: "pay", wanted: "notes", job: "note"),
          .init(held: "notes", holder: "sum", wanted: "bank[ann]", job: "book"),
        ]
      ])
    gate.open()
    try await other.value
  }

  /// Fails if: a load or a renewal is not recorded, as wanted or as held, or a valid value is.
  @Test func reloadsAndRenewals() async throws {
    let screen = Reloader<Reason, Int>(name: "screen") { [notes] _ in
      try await notes.enqueue { 1 }
    } apply: { _ in
    }
    #expect(
      try await rings {
        // A load does not hold the turn in which it is awaited.
        _ = try await audit.enqueue { try await screen.reload(Reason()) }
        _ = try? await audit.enqueue { try await notes.enqueue { try await screen.reload(Reason()) } }
      } == ["screen → notes → screen"])
    for validity in [Duration.zero, .seconds(60)] {
      let session = RenewingValue<Int>(name: "session") { [notes] _ in
        try await notes.enqueue { Renewed(1, validFor: validity) }
      }
      let found = try await rings {
        _ = try await session.value()
        _ = try? await notes.enqueue { try await session.value() }
      }
      #expect(found == (validity == .zero ? ["session → notes → session"] : []))
    }
  }

  /// Fails if: awaiting a submitted job is not recorded, or only while the job has not ended; of a line or of a key.
  @Test(arguments: [false, true]) func awaitedJobs(_ hasEnded: Bool) async throws {
    let found = try await rings {
      let jobs = [audit.submit {}, bank.submit(for: "ann") {}]
      if hasEnded { for job in jobs { try await job.value } }
      try await notes.enqueue { for job in jobs { try await job.value } }
      try await audit.enqueue { try await notes.enqueue {} }
      try await bank.enqueue(for: "ann") { try await notes.enqueue {} }
    }
    #expect(found == ["notes → audit → notes", "notes → bank[ann] → notes"])
  }

  /// Fails if: a job that awaits another job's result before its own request makes a ring, although it held no turn; or an
  /// unstructured task holds the turn of the job that started it, or does not hold its own.
  @Test func whatHoldsNothing() async throws {
    #expect(
      try await rings {
        try await bank.submit(for: "ann") { try await notes.enqueue {} }.value
        try await notes.submit { try await audit.enqueue {} }.value
        try await audit.enqueue { Task { try await notes.enqueue {} } }.value
      }.isEmpty)
    #expect(
      try await rings {
        try await Task { try await notes.enqueue { try await audit.enqueue {} } }.value
        try await audit.enqueue { try await notes.enqueue {} }
      } == ["notes → audit → notes"])
  }

  /// Fails if: orders are between names, or between successive executors with the same address.
  @Test func eachInstanceIsItsOwn() async throws {
    let found = try await rings {
      for round in 0..<50 {
        let (one, other) = (SerialTaskExecutor(name: "a"), SerialTaskExecutor(name: "a"))
        let (first, second) = round.isMultiple(of: 2) ? (one, other) : (other, one)
        try await first.enqueue { try await second.enqueue {} }
      }
    }
    #expect(found.isEmpty)
  }

  /// Fails if: thousands of requests of one line are all compared (which takes minutes and gigabytes), or a ring beside them that
  /// needs no line is missed; the search does not end, does not report that it gave up, or then has missed short rings.
  @Test func itGivesUp() {
    func stake(_ owner: Int, _ key: Int? = nil) -> Order.Stake { Order.Stake(owner: owner, keys: key.map { [$0] }) }
    var requests = (0..<5_000).map { Order.Request(held: [stake(0, $0)], wanted: stake(1)) }
    var search = RingSearch(requests, siblings: [])
    #expect(search.run().isEmpty && !search.hasGivenUp)
    requests.append(Order.Request(held: [stake(1)], wanted: stake(0, 7)))
    search = RingSearch(requests, siblings: [])
    #expect(search.run() == [RingSearch.Ring(requests: [7, 5_000], meetings: [.turn(0), .turn(0)])])
    #expect(search.hasGivenUp)
    search = RingSearch(requests.suffix(1) + requests[7...7], siblings: [])
    #expect(search.run().count == 1)
    let pairs = (0..<12).flatMap { from in (0..<12).map { (from, $0) } }.filter { $0 != $1 }
    search = RingSearch(
      pairs.map { Order.Request(held: [stake($0)], wanted: stake($1)) }, siblings: [], steps: 5000)
    #expect(search.run().count { $0.requests.count == 2 } == 66 && search.hasGivenUp)
  }
}

private struct Reason: ReloadReason { var policy: SharingPolicy { .join } }
