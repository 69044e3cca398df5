import SerialTasks
import SerialTasksTesting

/// Plays calls in virtual time: nothing sleeps, and what is drawn is the same on each machine.
///
/// Work is a gate that the player opens. When everything that can happen has happened, each job that has a turn holds at its
/// gate; then the player moves time to the next moment, at which work is done or a call is asked for, and waits again.
final class Player: Sendable {
  private let log = Log()
  /// How long to wait for an executor that loses a call.
  private let patience: Duration

  init(patience: Duration = .seconds(10)) { self.patience = patience }

  /// Does the work of a call: returns when so many virtual milliseconds have passed.
  func work(_ number: Int, for time: Int) async { await log.begin(number, for: time).pass() }

  /// Notes that an executor knows of a call.
  func note(_ event: TaskEvent) { if let job = event.job { log.arrive(job) } }

  /// Notes that what a call loaded is now what the screen shows.
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

/// A way for calls to reach what does their work.
struct Way: Sendable {
  /// Whether nothing more can happen before time passes.
  let isQuiet: @Sendable (Log.Situation) -> Bool
  /// Makes the call.
  let perform: Perform

  typealias Perform = @Sendable (Call, _ work: @escaping @Sendable () async -> Answer) async throws -> Answer
}

extension Way {
  /// A plain actor: every call is at work at once.
  static let plain = Way(waiting: { 0 }) { _, work in await work() }

  /// A way on which each call that has no answer works or waits.
  ///
  /// - Parameters:
  ///   - waiting: How many wait now.
  ///   - perform: Makes a call.
  init(waiting: @escaping @Sendable () -> Int, perform: @escaping Perform) {
    self.init(isQuiet: { $0.open - waiting() == $0.atWork.count }, perform: perform)
  }

  /// A way that reports each call to ``Player/note(_:)``, and on which some share the work of others.
  ///
  /// - Parameters:
  ///   - running: How many have a turn now.
  ///   - perform: Makes a call.
  init(running: @escaping @Sendable () -> Int, perform: @escaping Perform) {
    self.init(isQuiet: { $0.haveAllArrived && running() == $0.atWork.count }, perform: perform)
  }
}

extension Player {
  /// Plays calls until all have their answers, or none can get one any more.
  ///
  /// - Parameters:
  ///   - calls: What to ask for, in the order of their times.
  ///   - way: How calls reach their work.
  ///   - work: Does the work of a call.
  /// - Returns: What happened.
  func play(_ calls: [Call], _ way: Way, _ work: @escaping @Sendable (Call) async -> Answer) async -> Play {
    var calls = calls[...]
    while await settle(way.isQuiet) {
      if let gate = log.endWork(by: calls.first?.asked ?? .max) {
        gate.open()
      } else if let call = calls.popFirst() {
        log.move(to: call.asked)
        log.ask(call, isNested: false)
        Task { [log] in
          let answer: Result<Answer, any Error>
          do { answer = .success(try await way.perform(call) { await work(call) }) } catch { answer = .failure(error) }
          log.answer(call.number, answer)
        }
      } else {
        break
      }
    }
    let hasEnded = await settle { $0.open == 0 }
    return Play(entries: log.entries, shown: log.shown, isStuck: !hasEnded)
  }

  /// Lets others run until it is quiet.
  ///
  /// What is asked is exact, so what happens does not depend on how often this looks.
  ///
  /// - Returns: Whether it is quiet; otherwise a call was lost.
  private func settle(_ isQuiet: (Log.Situation) -> Bool) async -> Bool {
    let giveUp = ContinuousClock.now + patience
    while !isQuiet(log.situation) {
      if ContinuousClock.now > giveUp { return false }
      await Task.yield()
    }
    return true
  }
}
