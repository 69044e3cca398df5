import CoalescingTasks
import Testing

/// What a deadlock calls those that are in it, and what it says.
@Suite(.watched) struct CycleNameTests {
  /// Fails if: anything in the cycle is not called by its name, or by its type and an id.
  @Test func namedAndUnnamedAndKeysAndFlights() async throws {
    let (named, unnamed) = (SerialTaskExecutor(name: "notes"), SerialTaskExecutor())
    let keyed = KeyedSerialTaskExecutor<String>(name: "accounts")
    let error = await #expect(throws: JobRejection.self) {
      try await named.enqueue {
        try await keyed.enqueue(for: "ann") { try await unnamed.enqueue { try await named.enqueue {} } }
      }
    }
    guard case .deadlock(let deadlock) = error else { return }
    #expect(deadlock.path.count == 4)
    #expect(deadlock.path[0] == "notes" && deadlock.path[1] == "accounts[ann]" && deadlock.path[3] == "notes")
    #expect(deadlock.path[2].hasPrefix("SerialTaskExecutor#"))

    let coalescer = TaskCoalescer<Int, Int>()
    let other = await #expect(throws: JobRejection.self) {
      try await coalescer.value(for: 7) { try await named.enqueue { try await coalescer.value(for: 7) { 1 } } }
    }
    guard case .deadlock(let deadlock) = other else { return }
    #expect(deadlock.path.count == 3 && deadlock.path[1] == "notes")
    #expect(deadlock.path[0].hasPrefix("TaskCoalescer<Int, Int>#") && deadlock.path[0].hasSuffix("[7]"))
  }

  /// ```
  ///   first:  A ── (ends)
  ///   second: A ────────── gate ── waits for B ····
  ///   mine:   B ───────────────────────────── A ✗
  /// ```
  /// Fails if: a job is named that has ended, and had found its executor free.
  @Test func theJobThatHasTheTurnNow() async throws {
    let (a, b, gate) = (SerialTaskExecutor(name: "A"), SerialTaskExecutor(name: "B"), Gate())
    let first = await Held(a)
    let second = waiting(a, name: "second") {
      await gate.pass()
      try await b.enqueue {}
    }
    try await first.release()
    try await b.enqueue(name: "mine") {
      gate.open()
      try await b.waitUntil(waiting: 1)
      let error = await #expect(throws: JobRejection.self) { try await a.enqueue {} }
      #expect("\(String(describing: error))".contains("second") && !"\(String(describing: error))".contains("holder"))
    }
    try await second.value
  }

  /// Fails if: a wait for a slot does not name the slots and the jobs that have them, in the path or in the sentences, or an awaited job
  /// is not named.
  @Test func slotsAndAwaitedJobsAreNamed() async throws {
    let notes = CoalescingTaskExecutor<Int>(name: "notes", maximumConcurrentReads: 1)
    let line = SerialTaskExecutor(name: "line")
    let gate = Gate()
    let read = reading(notes, 1, name: "all") {
      await gate.pass()
      let slots = "slots of notes (1, held by all in notes[1])"
      let error = await #expect(throws: JobRejection.self) { try await line.enqueue {} }
      #expect(error == .deadlock(DeadlockError(path: ["line", "notes[2]", slots, "line"])))
      #expect(error?.description.contains("“line” and requested “notes[2]”, behind “\(slots)”.") == true)
    }
    let holder = waiting(line) { try await notes.read(2) {} }
    try await notes.waitUntil(waiting: 1)
    gate.open()
    try await read.value
    try await holder.value
  }

  /// ```
  /// one:    journal ── waits for outbox
  /// other:  outbox, audit ── waits for journal ✗
  /// ```
  /// Fails if: the sentences do not say which job held what and requested what, in the order of the cycle, or what to do.
  @Test func theSentencesNameTheJobs() async throws {
    let (journal, outbox) = (SerialTaskExecutor(name: "journal"), SerialTaskExecutor(name: "outbox"))
    let (audit, gate) = (SerialTaskExecutor(name: "audit"), Gate())
    let note = Task.immediate {
      try await journal.enqueue(name: "note a") {
        await gate.pass()
        try await outbox.enqueue(name: "send") {}
      }
    }
    try await outbox.enqueue(name: "mail b") {
      gate.open()
      try await outbox.waitUntil(waiting: 1)
      let error = await #expect(throws: JobRejection.self) {
        try await audit.enqueue { try await journal.enqueue(name: "note b") {} }
      }
      #expect(
        error?.description == """
          Deadlock: journal → outbox → audit → journal. A job held “audit” and requested “journal” to run “note b”; \
          “note a” held “journal” and requested “outbox” to run “send”; “mail b” held “outbox” and requested “audit”. \
          The call for “journal” would wait forever and was rejected. Do the inner work directly instead of through \
          “journal”, submit it without awaiting it here, or use executors and coalescers in the same order everywhere.
          """)
    }
    try await note.value
  }

  private enum Why: ReloadReason {
    case asked
    var policy: SharingPolicy { .join }
  }

  /// Fails if: what has no name does not read as its type and an id.
  @Test func unnamed() {
    #expect(Reloader<Why, Int>(load: { _ in 1 }, apply: { _ in }).label.hasPrefix("Reloader<Why, Int>#"))
    #expect(
      RenewingValue<Int>(renew: { _ in Renewed(1, validFor: .seconds(1)) }).label.hasPrefix("RenewingValue<Int>#"))
  }
}
