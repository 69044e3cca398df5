import Synchronization
import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// Reports on real threads, while executors are made and released and everything in them moves.
@Suite(.serialized, .watched) struct WaitReportSoakTests {
  /// Fails if: a report has a job of another executor, one that is there twice, or a time that cannot be; or if it reads what is
  /// just being released (ThreadSanitizer and AddressSanitizer see that), or misses what certainly waits.
  @Test func whileEverythingMoves() async throws {
    let begin = ContinuousClock.now
    let held = await Held(SerialTaskExecutor(name: "soak-held"))
    let still = waiting(held.executor, name: "soak-held still") {}
    let rounds = Effort.upTo(2_000)
    let seen = await withTaskGroup(of: Int.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<rounds { await move(named: "soak-\(worker).\(round)") }
          return 0
        }
      }
      for _ in 0..<2 {
        group.addTask {
          var seen = 0
          // A report takes in all that other tests have waiting just now, which may be a hundred thousand.
          for _ in 0..<max(20, rounds / 20) {
            let entries = WaitReport.current.executors.filter { $0.name.hasPrefix("soak-") }
            check(entries, since: begin)
            seen += entries.count - 1
          }
          return seen
        }
      }
      return await group.reduce(0, +)
    }
    #expect(seen > 0, "no report saw anything move")
    try await held.release()
    try await still.value
    // A submitted job has a result a moment before its turn has ended.
    try await until { !WaitReport.current.executors.contains { $0.name.hasPrefix("soak-") } }
  }

  /// ```
  /// thread 1   make ── release (deinit) ── make ── release …
  /// thread 2       report ── asks each ── report …
  /// ```
  /// Fails if: what is being released is asked when it has begun to fall apart (it crashes, and the sanitizers see it), or
  /// its `deinit` does not wait for a report that asks it.
  @Test func whileExecutorsAreReleased() async {
    let race = Race()
    await withTaskGroup { group in
      group.addTask {
        repeat {
          _ = WaitReport.current
          race.reports.add(1, ordering: .relaxed)
          await Task.yield()  // the pool of one core has one thread
        } while !race.isOver.load(ordering: .acquiring)
      }
      group.addTask {
        var rounds = Rounds(20_000)
        // One report may take long: it takes in all that other tests have waiting just now.
        while rounds.next(bothWays: race.reports.load(ordering: .relaxed) > 10) != nil { release() }
        race.isOver.store(true, ordering: .releasing)
      }
    }
    let taken = race.reports.load(ordering: .relaxed)
    #expect(taken > 1 || !Cores.areTwo, "no report was taken meanwhile")
  }

  /// An executor that asks for a report when it is released.
  private final class Asking: WaitSource {
    let registration = WaitRegistration()
    let isBeingReleased = Atomic(false)
    let log: Log<String>

    init(_ log: Log<String>) {
      self.log = log
      registration.begin(self)
    }

    deinit {
      isBeingReleased.store(true, ordering: .relaxed)
      _ = WaitReport.current
      registration.end()
    }

    func holdings() -> Holdings {
      if isBeingReleased.load(ordering: .relaxed) { log("asked") }
      return Holdings(kind: .serialTaskExecutor, clock: AnyClock(ContinuousClock()), holdings: [])
    }
  }

  /// Fails if: a report asks an executor whose `deinit` has begun, or one that it has asked can be released under its lock (then
  /// this hangs).
  @Test func whatIsBeingReleasedIsNotAsked() {
    let log = Log<String>()
    for _ in 0..<10 { _ = Asking(log) }
    #expect(log.entries == [])
  }

  private final class Race: Sendable {
    let reports = Atomic(0)
    let isOver = Atomic(false)
  }

  /// Makes one of each kind, and releases them at once.
  private func release() {
    _ = SerialTaskExecutor()
    _ = KeyedSerialTaskExecutor<Int>()
    _ = CoalescingTaskExecutor<Int>()
    _ = TaskCoalescer<Int, Int>()
    _ = RenewingValue<Int> { _ in Renewed(1, validFor: .seconds(1)) }
    _ = Reloader<Trigger, Int>(load: { _ in 1 }, apply: { _ in })
  }

  /// Makes executors, lets jobs wait and leave, and releases them.
  private func move(named name: String) async {
    let line = SerialTaskExecutor(name: name) { _ in }
    let bank = KeyedSerialTaskExecutor<Int>(name: name)
    let notes = CoalescingTaskExecutor<Int>(name: name)
    let numbers = TaskCoalescer<Int, Int>(name: name)
    let jobs = (0..<3).map { number in line.submit(name: "\(name) line \(number)") { await Task.yield() } }
    jobs[1].cancel()
    let transfers = [
      bank.submit(for: 1, name: "\(name) bank 1") { await Task.yield() },
      bank.submit(forAll: [1, 2], name: "\(name) bank 2") {},
      bank.submitDetached(for: 2, name: "\(name) bank 3") {},
    ]
    let write = notes.submitWrite(touching: [1], name: "\(name) write") { await Task.yield() }
    let read = Task { try await notes.read(1, name: "\(name) read") {} }
    let flight = Task {
      try await numbers.value(for: 1, name: "\(name) flight") {
        await Task.yield()
        return 1
      }
    }
    _ = await (read.result, flight.result)
    for job in jobs + transfers + [write] { _ = await job.result }
  }

  private func check(_ entries: [WaitReport.Executor], since begin: ContinuousClock.Instant) {
    let longest = begin.duration(to: .now)
    let held = entries.first { $0.name == "soak-held" }
    #expect(held?.holder == "holder" && held?.waiting.map(\.name) == ["soak-held still"])
    for entry in entries where entry.name != "soak-held" {
      let name = String(entry.name.prefix { $0 != "[" })
      // The first caller of a read or of a flight gives it its name, and waits for it.
      let jobs = entry.waiting.compactMap(\.name)
      #expect(Set(jobs).count == jobs.count, "\(entry)")
      #expect((jobs + [entry.holder].compactMap(\.self)).allSatisfy { $0.hasPrefix("\(name) ") }, "\(entry)")
      #expect(
        ([entry.heldFor].compactMap(\.self) + entry.waiting.map(\.waited)).allSatisfy { $0 <= longest }, "\(entry)")
    }
  }
}
