import Dispatch
import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

/// Completion handlers that are called on the main actor, where one task makes the calls of all tests.
@Suite(.watched, .serialized) struct HandlerOnTheMainActorTests {
  let line = SerialTaskExecutor(name: "line")
  let log = Log<Int>()

  /// Fails if: a handler is not called on the main actor, in another order than that of the jobs, or not at all. (Then this hangs.)
  @Test func inTheOrderOfTheJobs() async throws {
    for round in 1...10 {
      let all = Gate()
      for number in 0..<1_000 {
        line.submit(priority: number % 2 == 0 ? .high : .low) { number }
          .whenComplete(on: MainActor.self) { [log] result in
            MainActor.assertIsolated()
            log((try? result.get()) ?? -1)
            if number == 999 { all.open() }
          }
      }
      await all.pass()
      #expect(log.entries.suffix(1_000) == Array(0..<1_000)[...], "round \(round)")
    }
    #expect(log.entries.count == 10_000)
  }

  /// ```
  ///   main actor: waits for the last job ──┤ 1, 2, 3, 4
  ///   line:       1, 2, 3, 4, last
  /// ```
  /// Fails if: a job waits for an earlier job's handler. (Then this hangs.)
  @MainActor @Test func aBusyMainActor() async {
    let all = Gate()
    endJobs(all)
    #expect(log.entries.isEmpty)
    await all.pass()
    #expect(log.entries == [1, 2, 3, 4])
  }

  /// Blocks the main actor until all jobs have ended, which inherit nothing from it.
  @MainActor private func endJobs(_ all: Gate) {
    let last = DispatchSemaphore(value: 0)
    for number in 1...4 {
      line.submitDetached {}.whenComplete(on: MainActor.self) { [log] _ in
        log(number)
        if number == 4 { all.open() }
      }
    }
    line.submitDetached {}.whenComplete { _ in last.signal() }
    last.wait()
  }

  /// Fails if: the handler of a job that never ran is not called, or that of one that had ended before.
  @Test func jobsThatNeverRun() async throws {
    let gate = Gate()
    line.pause()
    let cancelled = line.submit { 1 }
    let withdrawn = line.submit { 2 }
    for job in [cancelled, withdrawn] { job.whenComplete(on: MainActor.self) { [log] _ in log(0) } }
    cancelled.cancel()
    line.cancelAll()
    line.resume()
    let ended = line.submit { 3 }
    _ = try await ended.value
    ended.whenComplete(on: MainActor.self) { [log] result in
      log((try? result.get()) ?? -1)
      gate.open()
    }
    await gate.pass()
    #expect(log.entries == [0, 0, 3])
  }

  /// The task that makes the calls is made by the job, unless there is still one from the round before.
  ///
  /// Fails if: the handler sees the task-locals of the job, or takes itself for a part of the job's turn.
  @Test func whatItSees() async throws {
    for _ in 0..<100 {
      let gate = Gate()
      Tag.$current.withValue(7) {
        line.submit {}.whenComplete(on: MainActor.self) { [line, log] _ in
          log(Tag.current)
          #expect(!line.isInJob)
          gate.open()
        }
      }
      await gate.pass()
      await Task.yield()
    }
    #expect(log.entries == Array(repeating: 0, count: 100))
  }

  private enum Tag { @TaskLocal static var current = 0 }
}
