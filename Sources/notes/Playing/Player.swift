import SerialTasks
import SerialTasksTesting

/// Plays calls in virtual time: nothing sleeps, and every machine draws the same chart.
///
/// Each call's work is a gate that the player opens. When no task can run any more, the player moves time to the next
/// moment at which work ends or a call is made, and waits again.
final class Player: Sendable {
  private let log = Log()
  /// How long to wait for an executor that has lost a call.
  private let patience: Duration

  init(patience: Duration = .seconds(60)) { self.patience = patience }

  /// Does the work of a call: returns after this many virtual milliseconds.
  func work(_ number: Int, for time: Int) async { await log.begin(number, for: time).pass() }

  /// Notes that an executor has reported a call.
  func note(_ event: TaskEvent) { if let job = event.job { log.arrive(job) } }

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
  /// Plays calls until each has its answer, or none can get one any more.
  ///
  /// - Parameters:
  ///   - calls: The calls, in the order of their times.
  ///   - way: How calls reach their work.
  ///   - store: Does the work of a call; without it, the work only takes time.
  /// - Returns: What happened.
  func play(_ calls: [Call], _ way: Way, on store: Store? = nil) async -> Play {
    var calls = calls[...]
    while await settle(way.isQuiet) {
      if let gate = log.endWork(by: calls.first?.asked ?? .max) {
        gate.open()
      } else if let call = calls.popFirst() {
        log.move(to: call.asked)
        log.ask(call, isNested: false)
        Task { await perform(call, way, store) }
      } else if await !settle({ $0.open == 0 || !$0.atWork.isEmpty }) || log.situation.open == 0 {
        // A call that is about to be rejected also waits for a moment.
        break
      }
    }
    return Play(entries: log.entries, shown: log.shown, isStuck: log.situation.open > 0)
  }

  private func perform(_ call: Call, _ way: Way, _ store: Store?) async {
    do {
      let answer = try await way.perform(call) {
        if let store { return await store.perform(call) }
        await self.work(call.number, for: call.takes)
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
  private func settle(_ isQuiet: (Log.Situation) -> Bool) async -> Bool {
    let giveUp = ContinuousClock.now + patience
    while !isQuiet(log.situation) {
      if ContinuousClock.now > giveUp { return false }
      await Task.yield()
    }
    return true
  }
}
