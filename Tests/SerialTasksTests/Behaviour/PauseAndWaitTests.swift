import SerialTasksTesting
import TestWatch
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// What `pauseAndWait()` does that the table of promises does not ask of every call.
@Suite(.watched) struct PauseAndWaitTests {
  let line = SerialTaskExecutor(name: "line")
  let notes = CoalescingTaskExecutor<String>(name: "notes")

  /// What is let pass is found under the lock of the graph, and let pass after that: meanwhile a newer write may take its place.
  ///
  /// Fails if: what a running job awaits is looked for where it was. (Then this hangs.)
  @Test func whatTookItsPlaceMeanwhile() async throws {
    let (inA, inB) = (Gate(), Gate())
    notes.submitWrite(touching: ["a"]) { await inA.pass() }
    let running = notes.submitWrite(touching: ["b"]) { await inB.pass() }
    await inA.waitForArrivals()
    await inB.waitForArrivals()
    let older = notes.submitWrite(latest: "a", touching: ["a"]) {}
    let pausing = Task.immediate { [notes] in try await notes.pauseAndWait() }
    notes.submitWrite(latest: "a", touching: ["a"]) {}
    notes.line.letPass(older.submission)
    inA.open()
    try await older.value
    inB.open()
    try await running.value
    try await pausing.value
    notes.resume()
  }

  /// Fails if: what was found to be awaited begins in a pause for which no caller waits any more.
  @Test func whatIsLetPassTooLate() async throws {
    notes.pause()
    let job = notes.submitWrite(touching: ["a"]) {}
    notes.line.letPass(job.submission)
    #expect(notes.snapshot.waiting == 1)
    notes.resume()
    try await job.value
  }

  /// Fails if: what a pause holds back needs no room.
  @Test func aPausedLineIsFull() async throws {
    let line = SerialTaskExecutor(name: "line", capacity: 1)
    line.pause()
    let waiting = line.submit {}
    await #expect(throws: JobRejection.full(capacity: 1)) { try await line.enqueue {} }
    line.resume()
    try await waiting.value
  }

  /// Fails if: a draft that has to wait for a running write begins in the pause.
  @Test func drafts() async throws {
    let (gate, log) = (Gate(), Log<String>())
    let holder = Task.immediate { [notes] in
      try await notes.write(touching: ["a"]) {
        await #expect(throws: JobRejection.self) { try await notes.pauseAndWait() }
        await gate.pass()
      }
    }
    await gate.waitForArrivals()
    let draft = notes.submitWrite(latest: "a", touching: ["a"], after: .seconds(1_000)) { log("draft") }
    let pausing = Task.immediate { [notes] in try await notes.pauseAndWait() }
    gate.open()
    try await pausing.value
    try await holder.value
    #expect(log.entries.isEmpty)
    notes.resume()
    try await draft.value
  }

  /// ```
  ///   files: upload ── asks notes ─┤
  /// ```
  /// Fails if: executors that are paused one after the other, the calling one first, are not all paused; or a job waits no longer for an
  /// executor that is already paused, as the documentation says. (Then this hangs.)
  @Test(arguments: [false, true]) func oneAfterTheOther(callingFirst: Bool) async throws {
    let (files, gate, log) = (SerialTaskExecutor(name: "files"), Gate(), Log<String>())
    let upload = files.submit { [line] in
      await gate.pass()
      try await line.enqueue { log("note it") }
    }
    await gate.waitForArrivals()
    let pausing = Task.immediate { [line] in
      for executor in callingFirst ? [files, line] : [line, files] { try await executor.pauseAndWait() }
      log("paused")
    }
    gate.open()
    if !callingFirst {
      try await line.waitUntil(waiting: 1)
      #expect(log.entries.isEmpty && files.snapshot.running == 1)
      line.resume()
    }
    try await pausing.value
    try await upload.value
    #expect(log.entries == ["note it", "paused"])
  }
}
