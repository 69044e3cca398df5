import SerialTasks
import SerialTasksTesting

/// Plays calls in virtual time: nothing sleeps, and every machine draws the same chart.
///
/// Each call's work is a gate that the player opens. When no task can run any more, the player moves time to the next
/// moment at which work ends or a call is made, and waits again. It is also the clock of the executors.
final class Player: Clock {
  /// When every play begins.
  static let start = ContinuousClock.now

  private let log = Log()
  /// How long to wait for an executor that has lost a call.
  private let patience: Duration

  init(patience: Duration = .seconds(60)) { self.patience = patience }

  var now: ContinuousClock.Instant { Self.start.advanced(by: .milliseconds(log.state.now)) }
  var minimumResolution: Duration { .zero }

  /// Not used: no call has a limit.
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw CancellationError() }

  /// Does the work of a call: returns after this many virtual milliseconds, or throws when it is cancelled.
  func work(_ number: Int, for time: Int) async throws {
    do { try await log.begin(number, for: time).passUnlessCancelled() } catch {
      log.stopWork(number)
      throw error
    }
  }

  /// Notes what an executor has reported.
  func note(_ event: TaskEvent) { log.report(event) }

  /// Notes that the screen shows what this call loaded.
  func show(_ number: Int) { log.show(number) }

  /// Makes a call inside another one.
  func nested(_ call: Call, _ body: () async throws -> Void) async throws {
    log.ask(call, isNested: true)
    do { try await body() } catch {
      log.answer(call.number, .failure(error))
      throw error
    }
    log.answer(call.number, .success(Answer(by: call.number)))
  }
}

// MARK: - Playing

extension Player {
  /// Plays calls, in the order of their times, until each has its answer, or none can get one any more.
  ///
  /// Without a store, their work only takes time.
  func play(_ calls: [Call], _ way: Way, on store: Store? = nil) async -> Play {
    var calls = calls[...]
    while await settle(way.isQuiet) {
      if let gate = log.endWork(by: calls.first?.asked ?? .max) {
        gate.open()
      } else if let call = calls.popFirst() {
        log.move(to: call.asked)
        log.ask(call, isNested: false)
        Task { await perform(call, way, store) }
      } else if await !settle({ $0.open == 0 || !$0.atWork.isEmpty }) || log.state.open == 0 {
        // A call that is about to be rejected also waits for a moment.
        break
      }
    }
    let end = log.state
    return Play(entries: end.entries, reported: end.reported, shown: end.shown, isStuck: end.open > 0)
  }

  private func perform(_ call: Call, _ way: Way, _ store: Store?) async {
    do {
      let answer = try await way.perform(call) {
        if let store { return try await store.perform(call) }
        try await self.work(call.number, for: call.takes)
        return Answer(by: call.number)
      }
      log.answer(call.number, .success(answer))
    } catch { log.answer(call.number, .failure(error)) }
  }

  /// Yields until nothing can happen before time passes.
  ///
  /// The condition is exact: the result does not depend on how often it is checked.
  ///
  /// - Returns: `false` if that takes too long, because a call was lost.
  private func settle(_ isQuiet: (Log.State) -> Bool) async -> Bool {
    let giveUp = ContinuousClock.now + patience
    while !isQuiet(log.state) {
      if ContinuousClock.now > giveUp { return false }
      await Task.yield()
    }
    return true
  }
}
