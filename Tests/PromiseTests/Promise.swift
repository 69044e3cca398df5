import CoalescingTasks
import SerialTasksTesting
import Testing

/// What is promised of work, whichever way it is handed in: a column of the table.
enum Promise: String, CaseIterable, Sendable {
  // Order
  case order, overlap, sharing
  // Cancellation
  case cancelledBefore, cancelledWaiting, cancelledAsItBegins, cancelledRunning, cancelledUnsuspended
  // Rejection
  case withdrawnWaiting, withdrawnRunning, closed, full, fullOverKeys, late, replaced, drafted
  // Priority
  case raisedWhileWaiting, raisedWhileRunning, raisedByAwaiting, raisedByDraining
  // Ends
  case error, events, handles, handlers, crowd
  // Looking
  case counted
  // Lifecycle
  case paused, pausedWhileRunning, drained, shutDownInTime, shutDownWaiting, shutDownRunning, shutDownNow,
    shutDownInterrupted, released, captured
  // Where it runs
  case taskLocals, isolation
  // Deadlocks
  case deadlockWithItself, deadlockInAChild, deadlockAcross, deadlockOfDrain, heldTooLong, potentialDeadlock
}

extension Promise {
  /// What a reader is told.
  var sentence: String {
    switch self {
    case .order: "Runs behind what conflicts with it and was handed in before, and before what was handed in behind it."
    case .overlap: "Never runs at the same time as work that conflicts with it."
    case .sharing: "Equal work runs once for all that wait for it, and each of them gets its result."
    case .cancelledBefore:
      "A cancelled task that would wait is rejected, takes no place, and its job never runs. What it submits, or asks for with a completion handler, runs, and is not cancelled."
    case .cancelledWaiting: "Cancelled while it waits, it leaves at once and never runs; what is behind it moves up."
    case .cancelledAsItBegins:
      "Cancelled while it is given its turn, it runs or is rejected, never both; its turn is not lost."
    case .cancelledRunning: "Cancelled while it runs, it sees `Task.isCancelled`."
    case .cancelledUnsuspended:
      "So it does at its next look if it has not suspended yet: cancelled with its caller, by its handle, `cancelAll()` or a shutdown. Its caller gets no result that comes a moment later, and who comes then joins no cancelled work."
    case .withdrawnWaiting: "`cancelAll()` rejects it as withdrawn while it waits, and it never runs."
    case .withdrawnRunning: "`cancelAll()` cancels it while it runs, unless it runs in the task of its caller."
    case .closed: "After `close()`, it is rejected as closed and never runs; what had a place runs."
    case .full: "Above the capacity, it is rejected as full and never runs."
    case .fullOverKeys: "So is one that only a pause holds back, above the capacity of all keys together."
    case .late:
      "It is rejected as late when its limit has passed, never runs then, and is not limited once it has begun."
    case .drafted:
      "With `after:`, it waits that long, or until something needs it; a newer one restarts the wait."
    case .replaced: "A newer one takes its place and answers for it, and it never runs."
    case .raisedWhileWaiting: "While it waits, a caller of higher priority behind it raises it."
    case .raisedWhileRunning: "While it runs, a caller of higher priority behind it raises it."
    case .raisedByAwaiting:
      "A task of higher priority that awaits its handle raises it, while it waits and while it runs."
    case .raisedByDraining:
      "So it is by `drain()`, while it waits and while it runs, and by `pauseAndWait()` while it runs."
    case .error: "What it throws reaches its caller: the same instance, waiting or not."
    case .events:
      "It is reported to wait, to begin and to end, once each, with the times of the clock. It begins before it ends; that it waits may be reported late, by the thread that handed it in."
    case .handles: "Every way to await a handle gives the one outcome, before the end and after it."
    case .handlers:
      "Its handlers have been called, those on the main actor too, when `drain()`, `pauseAndWait()` or `shutDown(within:)` returns."
    case .crowd:
      "In a crowd of mixed priorities, a quarter of it cancelled, each ends exactly once, and nothing is left."
    case .counted:
      "It is counted while it waits and while it runs, in snapshots, in `WaitReport` and by `waitUntil(waiting:)`."
    case .paused: "While the executor is paused, it waits; `resume()` lets it run."
    case .pausedWhileRunning: "`pauseAndWait()` returns when it has ended, if it runs, and lets nothing begin after it."
    case .drained: "`drain()` returns when it has ended, whether it waited or ran."
    case .shutDownInTime: "`shutDown(within:)` lets it end in time, and returns `true`."
    case .shutDownWaiting:
      "When the limit of `shutDown(within:)` has passed while it waits, it is withdrawn and never runs."
    case .shutDownRunning:
      "When the limit of `shutDown(within:)` has passed while it runs, or its caller is cancelled, its task is cancelled, and waited for."
    case .shutDownNow:
      "`shutDown(within: .zero)`, or in a cancelled task, withdraws it if it waits, drafts too, and returns `false`."
    case .shutDownInterrupted:
      "`shutDown(within:)` returns `false` if `cancelAll()` withdraws or cancels it meanwhile, or its cancellation does."
    case .captured:
      "What its closure captured is released when it has ended, however it ended, and the executor with the last; nothing foreign runs under a lock."
    case .released: "It ends although the executor was released, paused or not."
    case .taskLocals: "It sees the task-locals of who handed it in, or none if it was submitted detached."
    case .isolation: "It runs on the actor that its closure, or for a call its caller, is isolated to."
    case .deadlockWithItself:
      "Handed in and awaited inside a turn that it would wait for, it is rejected as a deadlock."
    case .deadlockInAChild: "So it is in a child task of a child task of the turn."
    case .deadlockOfDrain:
      "`drain()` or `pauseAndWait()` inside it is rejected as a deadlock, and it goes on; `shutDown(within:)` does not wait for it."
    case .deadlockAcross: "So it is through another executor, and the error names the cycle."
    case .heldTooLong:
      "Handed in by a task that was started in the turn that it waits for, it is named when that turn is reported as too long."
    case .potentialDeadlock:
      "In opposite order with another executor, one after the other, it does not hang, and `potentialDeadlocks` reports it."
    }
  }

  /// Why the promise is not made of a way; `nil` if it is, and then it is run.
  func exemption(_ way: Way) -> String? {
    switch self {
    case .order, .overlap, .cancelledWaiting, .withdrawnWaiting, .raisedWhileWaiting, .raisedByDraining,
      .shutDownWaiting, .shutDownNow:
      way.has(.isInLine) ? nil : "It does not wait for a turn"
    case .sharing:
      if way.has(.follows) {
        "It runs after what runs"
      } else if way.has(.replaces) {
        "It cancels what runs"
      } else {
        way.has(.isShared) ? nil : "Each job runs for itself"
      }
    case .cancelledAsItBegins, .cancelledRunning:
      way.has(.cannotLeave) ? "It is for synchronous code, and cannot be left" : nil
    case .withdrawnRunning, .cancelledUnsuspended: nil
    case .full:
      way.has(.isInLine) ? nil : "\(way.type) has no capacity"
    case .fullOverKeys:
      if way.type == "SerialTaskExecutor" {
        "\(way.type) has no keys"
      } else {
        Promise.full.exemption(way)
      }
    case .late: way.has(.isLimited) ? nil : "It has no `waitingAtMost:`"
    case .replaced, .drafted: way.has(.isLatest) ? nil : "It has no `latest:`"
    case .raisedByAwaiting, .handles, .handlers: way.has(.submits) ? nil : "It returns no handle"
    case .raisedWhileRunning: way.has(.replaces) ? "It cancels what runs" : nil
    case .cancelledBefore, .closed, .error, .counted, .crowd, .events, .drained, .shutDownInTime, .shutDownRunning,
      .shutDownInterrupted, .captured, .taskLocals:
      nil
    case .paused, .pausedWhileRunning: way.has(.isInLine) ? nil : "\(way.type) has no `pause()`"
    case .released: way.has(.submits) ? nil : "Its caller keeps the executor"
    case .isolation:
      way.has(.isOfTheType) ? "Its work was given to the initializer" : nil
    case .potentialDeadlock:
      if way.has(.cannotLeave) {
        "It is for synchronous code, and nothing awaits it"
      } else if way.has(.isLimited) {
        "It leaves by itself, and closes no cycle"
      } else if way.type == "RenewingValue" {
        "A value that is valid is returned without a request"
      } else {
        nil
      }
    case .heldTooLong:
      if !way.has(.isInLine) || way.has(.asksForAccess) {
        "\(way.type) has no limit on turns"
      } else if way.has(.submits) {
        "It is no caller that waits"
      } else {
        nil
      }
    case .deadlockOfDrain: nil
    case .deadlockWithItself, .deadlockInAChild, .deadlockAcross:
      if way.has(.cannotLeave) {
        "It is for synchronous code, and nothing awaits it"
      } else if way.has(.replaces) {
        "It cancels what it would wait for"
      } else if way.has(.isLimited) {
        "It is late instead"
      } else {
        nil
      }
    }
  }

  /// The ways of which the promise is made.
  var ways: [Way] { Way.all.filter { exemption($0) == nil } }

  /// Checks a cell: on the short paths of an executor that reports nothing, on those of one that reports, where one job, or one
  /// read, runs at a time, and under a watch, which finds that nothing in it is asked for in opposite orders.
  func check(_ way: Way) async throws {
    for isObserved in [false, true] { try await check(way, isObserved: isObserved) }
    if way.has(.hasSlots) { try await check(way, isObserved: false, slots: 1) }
    if [.deadlockWithItself, .deadlockInAChild, .deadlockAcross, .deadlockOfDrain, .potentialDeadlock].contains(self) {
      return
    }
    let found = try await potentialDeadlocks { try await check(way, isObserved: false) }
    #expect(found.isEmpty)
  }

  private func check(_ way: Way, isObserved: Bool, slots: Int? = nil) async throws {
    var settings = Settings(
      isObserved: isObserved, slots: slots, capacity: self == .full || self == .fullOverKeys ? 1 : nil,
      isCapacityPerKey: self == .full)
    if self == .heldTooLong { settings.turnLimit = .seconds(60) }
    let cell = Cell(way: way, settings: settings)
    try await check(cell)
    #expect(cell.settings.events.entries.allSatisfy { $0.job != "work" || $0.keys == way.keys })
  }

  private func check(_ cell: Cell) async throws {
    switch self {
    case .order: try await cell.order()
    case .overlap: try await cell.overlap()
    case .sharing: try await cell.sharing()
    case .cancelledBefore: try await cell.cancelledBefore()
    case .cancelledWaiting: try await cell.cancelledWaiting()
    case .cancelledAsItBegins: try await cell.cancelledAsItBegins()
    case .cancelledRunning: try await cell.cancelledRunning()
    case .cancelledUnsuspended: try await cell.cancelledUnsuspended()
    case .withdrawnWaiting: try await cell.withdrawnWaiting()
    case .withdrawnRunning: try await cell.withdrawnRunning()
    case .closed: try await cell.closed()
    case .full: try await cell.full()
    case .fullOverKeys: try await cell.fullOverKeys()
    case .late: try await cell.late()
    case .replaced: try await cell.replaced()
    case .drafted: try await cell.drafted()
    case .raisedWhileWaiting: try await cell.raisedWhileWaiting()
    case .raisedWhileRunning: try await cell.raisedWhileRunning()
    case .raisedByAwaiting: try await cell.raisedByAwaiting()
    case .raisedByDraining: try await cell.raisedByDraining()
    case .error: try await cell.error()
    case .events: try await cell.events()
    case .handles: try await cell.handles()
    case .handlers: try await cell.handlers()
    case .crowd: try await cell.crowd()
    case .counted: try await cell.counted()
    case .paused: try await cell.paused()
    case .pausedWhileRunning: try await cell.pausedWhileRunning()
    case .drained: try await cell.drained()
    case .shutDownInTime: try await cell.shutDownInTime()
    case .shutDownWaiting: try await cell.shutDownWaiting()
    case .shutDownRunning: try await cell.shutDownRunning()
    case .shutDownNow: try await cell.shutDownNow()
    case .shutDownInterrupted: try await cell.shutDownInterrupted()
    case .released: try await cell.released()
    case .captured: try await cell.captured()
    case .taskLocals: try await cell.taskLocals()
    case .isolation: try await cell.isolation()
    case .deadlockWithItself: try await cell.deadlockWithItself()
    case .deadlockInAChild: try await cell.deadlockInAChild()
    case .deadlockOfDrain: try await cell.deadlockOfDrain()
    case .deadlockAcross: try await cell.deadlockAcross()
    case .heldTooLong: try await cell.heldTooLong()
    case .potentialDeadlock: try await cell.potentialDeadlock()
    }
  }
}
