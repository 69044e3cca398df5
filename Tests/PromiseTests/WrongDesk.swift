import CoalescingTasks
import SerialTasksTesting
import TestWatch

private typealias WrongCall = nonisolated(nonsending) @Sendable (Work) async throws -> Int

/// A desk with a fault, round one that is right.
final class WrongDesk: Desk {
  static var type: String { "WrongDesk" }
  let fault: Fault
  private let way: Way
  private let settings: Settings
  private let right: any Desk
  /// Whether what makes the fault show has happened.
  private let isStruck = Box(false)
  private let isPaused = Box(false)
  private let calls = Box(0)
  private let last = Box<(work: Work, handle: Handle?)?>(nil)
  private static let kept = Log<any Sendable>()

  init(_ right: any Desk, _ fault: Fault, _ way: Way, _ settings: Settings) {
    (self.right, self.fault, self.way, self.settings) = (right, fault, way, settings)
    if fault == .isNeverReleased { Self.kept(self) }
  }
}

extension Way {
  /// The same way, to a desk with a fault.
  func with(_ fault: Fault) -> Way {
    Way(type: type, label: label, traits: traits) { [self] settings in
      let right = make(fault.changes(settings))
      let desk = WrongDesk(right.desk, fault, self, settings)
      let (call, submit) = (right.call, right.submit)
      let wrongSubmit: (@Sendable (Work) -> Handle)? = if let submit { { desk.submit($0, submit) } } else { nil }
      return Stage(
        settings: settings, desk: desk, isTyped: right.isTyped, call: { try await desk.call($0, call) },
        submit: wrongSubmit)
    }
  }
}

extension Fault {
  fileprivate func changes(_ right: Settings) -> Settings {
    var settings = right
    switch self {
    case .hasRoomForOneMore: settings.capacity = settings.capacity.map { $0 + 1 }
    case .reportsNoLongTurns: settings.turnLimit = nil
    case .isInNoReport: settings.name = "somebody"
    default: break
    }
    (settings.events, settings.onEach) = (EventLog(), Box { _ in })
    let held = Box<TaskEvent?>(nil)
    settings.onEach.put { [tell = right.onEvent] event in
      switch (self, event.kind.name) {
      case (.dropsEnds, "finished"), (.dropsBeginnings, "began"), (.dropsRejections, "rejected"),
        (.dropsReplacements, "replaced"):
        break
      case (.hidesErrorsInEvents, "failed"): tell?(TaskEvent(kind: .finished, executor: event.executor, job: event.job))
      case (.reportsTwice, _): for _ in 0..<2 { tell?(event) }
      case (.reportsBackwards, "began"): held.put(event)
      case (.reportsBackwards, "finished"): for event in [event, held.value ?? event] { tell?(event) }
      case (.timesNothing, _): tell?(TaskEvent(kind: event.kind, executor: event.executor, job: event.job))
      default: tell?(event)
      }
    }
    return settings
  }
}

// MARK: - The work

extension WrongDesk {
  private func changes(_ right: Work) -> Work {
    var work = right
    let (job, isStruck) = (right.job, isStruck)
    switch fault {
    case .runsTwice:
      work.job = { () throws(WorkError) in
        _ = try await job()
        return try await job()
      }
    case .endsItsTurnEarly:
      work.job = {
        Task { await right.result() }
        return 1
      }
    case .hidesCancellation, .runsInAnotherTask:
      work.job = { () throws(WorkError) in try await Task { await right.result() }.value.get() }
    case .losesTaskLocals:
      work.job = { () throws(WorkError) in try await Task.detached { await right.result() }.value.get() }
    case .keepsItsPriority:
      work.job = { () throws(WorkError) in
        // Who awaits a task raises it.
        let result: Result<Int, WorkError> = await withCheckedContinuation { ended in
          Task.detached(priority: .background) { ended.resume(returning: await right.result()) }
        }
        return try result.get()
      }
    case .throwsAnotherError:
      work.job = { () throws(WorkError) in
        do throws(WorkError) { return try await job() } catch { throw .own(WorkError.Instance()) }
      }
    case .hidesErrors:
      work.job = { (try? await job()) ?? 1 }
    case .losesTheTurnWithAnError:
      work.job = { () throws(WorkError) in
        if isStruck.value { await Gate().pass() }
        do throws(WorkError) { return try await job() } catch {
          isStruck.put(true)
          throw error
        }
      }
    case .forgetsNames: work.name = nil
    case .keepsItsWork: Self.kept(right)
    case .isNeverLate: work.limit *= 1_000
    case .isNeverLateInAPause where isPaused.value: work.limit *= 1_000
    case .draftsDoNotWait: work.after = nil
    case .draftsWaitTwice: work.after = work.after.map { $0 * 2 }
    case .replacedRunsToo:
      let old = last.value
      last.put((right, nil))
      work.job = { () throws(WorkError) in
        _ = try await old?.work.job()
        return try await job()
      }
    default: break
    }
    return work
  }
}

extension Work {
  fileprivate func result() async -> Result<Int, WorkError> {
    do throws(WorkError) { return .success(try await job()) } catch { return .failure(error) }
  }
}

// MARK: - The ways in

extension WrongDesk {
  fileprivate nonisolated(nonsending) func call(_ work: Work, _ right: @escaping WrongCall) async throws -> Int {
    let (came, number) = (settings.clock.now, calls.value)
    calls.put(number + 1)
    switch fault {
    case .takesNoTurn: return try await work.run()
    case .forgetsEveryTenth where number % 10 == 9: return 1
    case .closesLate where isStruck.value: return try await work.run()
    case .staysFull where isStruck.value: throw error(.full(capacity: 1))
    case .movesToTheEnd: _ = try await right(Work { 1 })
    case .callsFromAnotherTask: return try await Task.detached { [right] in try await right(work) }.value
    default: break
    }
    let result: Result<Int, any Error>
    do { result = .success(try await right(changes(work))) } catch { result = .failure(error) }
    switch (fault, Outcome(result, isTyped: way.has(.isTyped))) {
    case (.runsWhatIsRejected, .rejected): _ = try? await work.run()
    case (.hidesRejections, .rejected): return 1
    case (.keepsThePlaceOfWhoLeft, .rejected):
      Task.immediate { [right = self.right] in try await right.exclusively(nil) {} }
    case (.takesTheOthersAlong, .rejected(.cancelled)): self.right.withdrawAll()
    case (.rejectsWhatRan, .value) where Task.isCancelled: throw error(.cancelled)
    case (.withdrawsAsCancelled, .rejected(.withdrawn)): throw error(.cancelled)
    case (.answersInAnotherTurn, _): try? await self.right.exclusively(nil) {}
    case (.namesAnotherCapacity, .rejected(.full)), (.namesAnotherCapacity, .rejected(.keyFull)):
      throw error(.full(capacity: 7))
    case (.staysFull, .rejected(.full)), (.staysFull, .rejected(.keyFull)): isStruck.put(true)
    case (.namesNoCycle, .rejected(.deadlock)): throw error(.deadlock(DeadlockError(path: [])))
    case (.limitsWhatHasBegun, .value) where came.duration(to: settings.clock.now) > work.limit: throw error(.late)
    case (.leavesItsTimer, _): Task.immediate { [clock = settings.clock] in try await clock.sleep(for: .seconds(99)) }
    default: break
    }
    return try result.get()
  }

  private func error(_ rejection: JobRejection) -> any Error {
    if way.has(.isTyped) { return WorkError.rejected(rejection) }
    return rejection == .cancelled ? CancellationError() : rejection
  }

  fileprivate func submit(_ work: Work, _ right: (Work) -> Handle) -> Handle {
    let older = last.value?.handle
    if fault == .replacedIsCancelled { older?.cancel() }
    var handle = right(changes(work))
    let whole = handle
    if fault == .replacedIsCancelled || fault == .replacedCancelsTheNewest { last.put((work, whole)) }
    switch fault {
    case .submitsCancelled: if Task.isCancelled { handle.cancel() }
    case .tellsTwice:
      handle.whenComplete = { handler in for _ in 0..<2 { whole.whenComplete(handler) } }
    case .tellsNobody: handle.whenComplete = { _ in }
    case .callsHandlersLate:
      handle.whenCompleteOnMainActor = { handler in
        whole.whenComplete { outcome in Task.detached { await handler(outcome) } }
      }
    case .replacedCancelsTheNewest: handle.cancel = { [last] in last.value?.handle?.cancel() }
    case .isNeverCancelled: handle.isCancelled = { false }
    case .endsWithWhoStopsWaiting:
      handle.result = {
        await withTaskCancellationHandler(operation: whole.result, onCancel: whole.cancel)
      }
    default: break
    }
    return handle
  }
}

// MARK: - The desk

extension WrongDesk {
  var counts: Counts {
    let counts = right.counts
    switch fault {
    case .countsOneTooMany: return Counts(waiting: counts.waiting + 1, running: counts.running)
    case .countsNothingThatRuns: return Counts(waiting: counts.waiting)
    default: return counts
    }
  }

  nonisolated(nonsending) func exclusively(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws {
    if fault == .letsUrgentJobsPass, Task.currentPriority >= .high { return await job() }
    try await right.exclusively(name, job)
  }

  nonisolated(nonsending) func elsewhere(
    _ name: String?, _ job: nonisolated(nonsending) () async -> Void
  ) async throws { try await right.elsewhere(name, job) }

  nonisolated(nonsending) func waitUntil(waiting count: Int) async throws { try await right.waitUntil(waiting: count) }

  var isInTurn: Bool { fault == .isNeverInTurn ? false : right.isInTurn }

  nonisolated(nonsending) func drain() async throws {
    if fault == .drainsAtOnce { return }
    if fault == .drainsFromAnotherTask { return try await Task.detached { [right] in try await right.drain() }.value }
    try await right.drain()
    while fault == .drainsWhatComesLater, right.counts != Counts() { try await right.drain() }
  }

  nonisolated(nonsending) func shutDown(within limit: Duration) async -> Bool {
    switch fault {
    case .shutDownDoesNotClose: return await (try? right.drain()) != nil
    case .shutDownHidesCancellation: return await Task { [right] in await right.shutDown(within: limit) }.value
    case .isNeverInTime: return await right.shutDown(within: limit) && false
    case .isAlwaysInTime: return await right.shutDown(within: limit) || true
    case .shutsDownAtOnce: return await right.shutDown(within: .zero)
    case .shutDownDoesNotWait:
      Task.immediate { [right] in await right.shutDown(within: limit) }
      return false
    case .zeroIsAnHour where limit == .zero: return await right.shutDown(within: .seconds(3_600))
    default: return await right.shutDown(within: limit)
    }
  }

  func pause() {
    isPaused.put(true)
    if fault != .doesNotPause { right.pause() }
  }

  nonisolated(nonsending) func pauseAndWait() async throws {
    if fault == .pauseDoesNotWait { return right.pause() }
    if fault == .pausesThoughCancelled, Task.isCancelled {
      right.pause()
      _ = try? await Task { [right] in try await right.pauseAndWait() }.value
    }
    try await right.pauseAndWait()
  }

  func resume() { if fault != .doesNotResume { right.resume() } }

  func close() {
    isStruck.put(true)
    right.close()
    if fault == .closingWithdraws { right.withdrawAll() }
  }

  func withdrawAll() { if fault != .withdrawsNothing { right.withdrawAll() } }
}
