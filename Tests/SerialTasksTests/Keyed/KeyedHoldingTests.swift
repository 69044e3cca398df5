import SerialTasks
import Testing

/// A task that acts on the line of a key holds it: until it is done, the line serves no other key.
///
/// What happens in between is done by the key itself, which is foreign code: when it is described, and when it goes.
@Suite(.watched) struct KeyedHoldingTests {
  private final class LoudKey: Hashable, CustomStringConvertible, Sendable {
    let id: Int
    let described: @Sendable () -> Void
    let deinitialised: @Sendable () -> Void

    init(
      _ id: Int, described: @escaping @Sendable () -> Void = {}, deinitialised: @escaping @Sendable () -> Void = {}
    ) {
      self.id = id
      self.described = described
      self.deinitialised = deinitialised
    }

    deinit { deinitialised() }

    var description: String {
      described()
      return "\(id)"
    }

    static func == (one: LoudKey, other: LoudKey) -> Bool { one.id == other.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  /// Keeps the tasks that were resumed until the test lets them go on.
  private final class Resumed: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])

    var count: Int { jobs.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    func goOn() {
      let jobs = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  private let keys = KeyedSerialTaskExecutor<LoudKey>(name: "keys")

  /// A caller that holds a turn asks what its wait is called, between finding the line and waiting for it.
  /// ```
  /// key 1   ├─ a job waits ─────────────────────── cancelled ┤
  /// drain           ├─ of key 1 ── asks for the name ────────┤
  /// key 2                                                    ├─ a job waits …
  /// ```
  /// Fails if: `drain(for:)` does not hold the line that it has found. (Then it waits for another key's jobs.)
  @Test func aDrainWaitsForNoJobOfTheNextKey() async throws {
    keys.pause()
    let job = Lock<SubmittedJob<Void>?>(nil)
    let log = Log<String>()
    let first = LoudKey(1) { [keys] in
      guard let job = job.withLock({ $0.take() }) else { return }
      job.cancel()
      keys.submitDetached(for: LoudKey(2)) { log("key 2") }
    }
    let waits = keys.submitDetached(for: first) {}
    job.withLock { $0 = waits }
    let drained = Task.immediate { [keys] in
      try await SerialTaskExecutor().enqueue { try await keys.drain(for: first) }
      log("drained")
    }
    #expect(log.entries == ["drained"])
    keys.resume()
    try await drained.value
    try await keys.drain()
    #expect(log.entries == ["drained", "key 2"])
  }

  /// The line is idle when all withdrawals have been reported, and `drain` waits for that.
  /// ```
  /// key 1   ├─ a job waits ── withdrawn ─┤ goes
  /// key 2                                ├─ a job waits ── cancelled ┤
  /// drain                                     ├─ of key 2 ───────────┤
  /// ```
  /// Fails if: `cancelAll(for:)` does not hold the line. (Then it serves the next key, which is not idle before the jobs of
  /// the first have been reported.)
  @Test func whatIsClearedServesNoOtherKeyUntilAllAreTold() async throws {
    keys.pause()
    let resumed = Resumed()
    let (log, drains) = (Log<Int>(), Log<Task<Void, any Error>>())
    let next: @Sendable () -> Void = { [keys] in
      let job = keys.submitDetached(for: LoudKey(2)) {}
      drains(Task.immediate(executorPreference: resumed) { try await keys.drain(for: LoudKey(2)) })
      log(resumed.count)
      job.cancel()
      log(resumed.count)
    }
    keys.submitDetached(for: LoudKey(1, deinitialised: next)) {}
    keys.cancelAll(for: LoudKey(1))
    #expect(log.entries == [0, 1])
    resumed.goOn()
    for drain in drains.entries { try await drain.value }
    #expect(keys.size.busy == 0)
  }

  /// Fails if: who looks at one key does not see the job that found its executor free, and has that key.
  @Test func whoLooksAtOneKeySeesTheJob() async throws {
    let executor = KeyedSerialTaskExecutor<String>(name: "accounts")
    var held = await Held(executor, "ann")
    #expect(executor.snapshot(for: "ann").running == 1 && executor.snapshot(for: "bob").running == 0)
    try await held.release()
    held = await Held(executor, "ann")
    let log = Log<String>()
    let drained = Task.immediate {
      try await executor.drain(for: "ann")
      log("drained")
    }
    #expect(log.entries.isEmpty)
    try await held.release()
    try await drained.value
  }
}
