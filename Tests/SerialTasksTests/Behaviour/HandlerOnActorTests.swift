import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Completion handlers that are called on an actor.
@Suite(.watched) struct HandlerOnActorTests {
  let line = SerialTaskExecutor(name: "line")

  actor Notebook {
    var entries: [Int] = []
    func note(_ entry: Int) { entries.append(entry) }
  }

  @MainActor final class Screen {
    var entries: [Int] = []
  }

  /// Fails if: handlers on an actor are called in another order than that of the jobs, or a call is lost. (Then this hangs.)
  @Test func onAnActor() async throws {
    let (notebook, all) = (Notebook(), Gate())
    for number in 0..<1_000 {
      line.submit(priority: number % 2 == 0 ? .high : .low) { number }.whenComplete(on: notebook) { notebook, result in
        notebook.note((try? result.get()) ?? -1)
        if number == 999 { all.open() }
      }
    }
    await all.pass()
    #expect(await notebook.entries == Array(0..<1_000))
  }

  /// Fails if: a handler is not called on the main actor, or those of the main actor are not in order.
  @MainActor @Test func onTheMainActor() async throws {
    let (screen, all) = (Screen(), Gate())
    for number in 0..<200 {
      line.submit { number }.whenComplete(on: MainActor.self) { result in
        MainActor.assertIsolated()
        screen.entries.append((try? result.get()) ?? -1)
        if number == 199 { all.open() }
      }
    }
    await all.pass()
    #expect(screen.entries == Array(0..<200))
  }

  /// ```
  ///   actor: busy ────────────────── first, 1, 2, 3, 4
  ///   line:  first, 1, 2, 3, 4, last
  /// ```
  /// Fails if: a job waits for an earlier job's handler, or the calls of an actor are made at the same time, or lost.
  @Test func aBusyActor() async throws {
    let (first, last) = (Gate(), Gate())
    let busy = Busy()
    let held = Task.immediate { await busy.hold(until: first) }
    await first.arrived()
    line.submit {}.whenComplete(on: busy) { busy, _ in busy.note("first") }
    for number in 1...4 {
      line.submit {}.whenComplete(on: busy) { busy, _ in
        busy.note("\(number)")
        if number == 4 { last.open() }
      }
    }
    try await line.submit {}.value
    try await line.drain()
    #expect(busy.log.entries == ["busy"])
    // One task makes all calls; another would ask for the actor as well, if it is given the time.
    try await until { busy.queue.count > 0 }
    for _ in 0..<200 { await Task.yield() }
    #expect(busy.queue.count == 1)
    first.open()
    await held.value
    await last.pass()
    #expect(busy.log.entries == ["busy", "first", "1", "2", "3", "4"])
  }

  /// Fails if: the handlers of one actor wait for another actor of its type.
  @Test func anotherActor() async throws {
    let (first, done) = (Gate(), Gate())
    let (busy, idle) = (Busy(), Busy())
    let held = Task.immediate { await busy.hold(until: first) }
    await first.arrived()
    line.submit {}.whenComplete(on: busy) { busy, _ in busy.note("late") }
    line.submit {}.whenComplete(on: idle) { idle, _ in
      idle.note("idle")
      done.open()
    }
    await done.pass()
    #expect(busy.log.entries == ["busy"] && idle.log.entries == ["idle"])
    first.open()
    await held.value
  }

  /// An actor that can be kept busy: its executor runs nothing else until then.
  actor Busy {
    nonisolated let log = Log<String>()
    nonisolated let queue = BusyExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func note(_ entry: String) { log(entry) }

    nonisolated func hold(until gate: Gate) async {
      log("busy")
      queue.hold()
      await gate.pass()
      queue.release()
    }
  }

  /// Fails if: the handler of a job that never ran is not called, or that of one that had ended before.
  @Test func jobsThatNeverRun() async throws {
    let (notebook, gate) = (Notebook(), Gate())
    line.pause()
    let cancelled = line.submit { 1 }
    let withdrawn = line.submit { 2 }
    for job in [cancelled, withdrawn] { job.whenComplete(on: notebook) { notebook, _ in notebook.note(0) } }
    cancelled.cancel()
    line.cancelAll()
    line.resume()
    let ended = line.submit { 3 }
    _ = try await ended.value
    ended.whenComplete(on: notebook) { notebook, result in
      notebook.note((try? result.get()) ?? -1)
      gate.open()
    }
    await gate.pass()
    #expect(await notebook.entries == [0, 0, 3])
  }

  /// Fails if: the handler sees the task-locals of the job, or takes itself for a part of the job's turn.
  @Test func whatItSees() async throws {
    let (notebook, gate) = (Notebook(), Gate())
    Tag.$current.withValue(7) {
      line.submit {}.whenComplete(on: notebook) { [line] notebook, _ in
        notebook.note(Tag.current)
        #expect(!line.isInJob)
        gate.open()
      }
    }
    await gate.pass()
    #expect(await notebook.entries == [0])
  }

  private enum Tag { @TaskLocal static var current = 0 }
}

/// Runs the jobs of an actor, unless it is held.
final class BusyExecutor: SerialExecutor {
  private let state = Lock<(isHeld: Bool, jobs: [UnownedJob])>((false, []))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isHeld = state.withLock { state in
      if state.isHeld { state.jobs.append(job) }
      return state.isHeld
    }
    if !isHeld { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func hold() { state.withLock { $0.isHeld = true } }

  /// How many jobs wait until it is let go.
  var count: Int { state.withLock { $0.jobs.count } }

  func release() {
    let jobs = state.withLock { state in
      defer { state = (false, []) }
      return state.jobs
    }
    for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
