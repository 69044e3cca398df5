import SerialTasks

/// What a recorded system runs on: real threads, or the explorer's scheduler.
package struct Surroundings: Sendable {
  /// Lets others go on.
  package let step: @Sendable () async -> Void
  /// Lets everybody go on who can; returns whether all of them have.
  package let rest: @Sendable () async -> Bool
  /// A place in synchronous code at which others may be faster.
  package let point: @Sendable () -> Void
  /// Whether every task but the running one is suspended, where that can be known.
  package let isQuiet: @Sendable () -> Bool
  package let note: @Sendable (_ who: String, _ what: StaticString, _ detail: String) -> Void

  package init(
    step: @escaping @Sendable () async -> Void, rest: @escaping @Sendable () async -> Bool,
    point: @escaping @Sendable () -> Void, isQuiet: @escaping @Sendable () -> Bool,
    note: @escaping @Sendable (_ who: String, _ what: StaticString, _ detail: String) -> Void
  ) {
    self.step = step
    self.rest = rest
    self.point = point
    self.isQuiet = isQuiet
    self.note = note
  }

  package static let threads = Surroundings(
    step: { await Task.yield() },
    rest: {
      await Task.yield()
      return false
    }, point: {}, isQuiet: { false }, note: { _, _, _ in })
}

/// Writes a history down, from any thread.
///
/// Safe because the history is touched only under the lock.
package final class HistoryLog: @unchecked Sendable {
  private let lock = RecursiveLock()
  private var state: History
  let surroundings: Surroundings

  package init(_ history: History, on surroundings: Surroundings) {
    state = history
    self.surroundings = surroundings
  }

  package var history: History { lock.locked { state } }

  func change<Result: Sendable>(_ body: (inout History) -> Result) -> Result { lock.locked { body(&state) } }

  package func note(_ who: String, _ what: StaticString, _ detail: String = "") { surroundings.note(who, what, detail) }

  /// Writes down that something happens now.
  func mark(_ body: (inout History, History.Moment) -> Void) {
    change { history in body(&history, history.tick()) }
  }
}

// MARK: - Calls and operations

extension HistoryLog {
  func asks(
    _ what: History.What, owner: Int, isSubmitted: Bool = false, isInside: Bool = false
  ) -> (call: Int, name: String) {
    let (call, name) = change { history in
      var call = History.Call(what: what, owner: owner, isSubmitted: isSubmitted, asked: history.tick())
      call.isInside = isInside
      if !isSubmitted { call.cancelled = history.cancelledOwners[owner] }
      history.calls.append(call)
      return (history.calls.count - 1, history.name(history.calls.count - 1))
    }
    note(name, "asks", what.description)
    return (call, name)
  }

  func answers(_ call: Int, _ name: String, _ answer: History.Answer) {
    note(name, "is answered", answer.description)
    mark { history, now in
      let isFirst = history.calls[call].answer == nil
      history.expect(isFirst, "each call is answered once", name)
      history.calls[call].answered = now
      history.calls[call].answer = answer
    }
  }

  func begins(_ call: Int, _ name: String, finds versions: [Int]) {
    note(name, "runs")
    mark { history, now in
      let asked = history.calls[call]
      history.expect(asked.operation == nil, "each job runs once", name)
      history.expect(asked.answer == nil || !asked.isWrite, "no job runs that was answered", name)
      history.calls[call].operation = History.Operation(began: now, found: versions)
    }
  }

  /// No call can go on that has not.
  func rests() { mark { history, now in history.rests.append((now, history.isPaused)) } }

  /// An operation goes on after a suspension.
  func looks(_ call: Int) {
    if surroundings.isQuiet() { mark { history, now in history.calls[call].operation?.quiet.append(now) } }
  }

  func ends(_ call: Int, _ name: String, leaves versions: [Int]) {
    note(name, "ends")
    mark { history, now in
      history.calls[call].operation?.ended = now
      history.calls[call].operation?.left = versions
      history.calls[call].operation?.isCancelled = Task.isCancelled
    }
  }

  /// The task of this owner is about to be cancelled.
  package func cancels(owner: Int) {
    mark { history, now in
      history.cancelledOwners[owner] = now
      for call in history.calls.indices where history.calls[call].owner == owner { history.cancels(call, now) }
    }
  }

  /// A submitted write is about to be cancelled.
  func cancelsHandle(of name: String?) {
    mark { history, now in
      if let call = history.call(named: name) { history.cancels(call, now, byHandle: true) }
    }
  }
}

extension History {
  fileprivate mutating func cancels(_ call: Int, _ now: Moment, byHandle: Bool = false) {
    guard calls[call].isSubmitted == byHandle, calls[call].answer == nil, calls[call].cancelled == nil else { return }
    calls[call].cancelled = now
  }
}

// MARK: - What the executor reports

extension HistoryLog {
  func reports(_ event: TaskEvent) {
    note(event.job ?? "?", "is reported", kind(of: event))
    mark { history, now in history.reports(event, now) }
    surroundings.point()
  }

  private func kind(of event: TaskEvent) -> String {
    switch event.kind {
    case .waiting, .drafted: "to wait"
    case .began: "to begin"
    case .joined: "to join"
    case .served: "to be served"
    case .finished, .failed: "to have ended"
    case .rejected: "rejected"
    case .replaced: "replaced"
    case .left: "to have left"
    default: "to get nowhere"
    }
  }
}

extension History {
  fileprivate mutating func reports(_ event: TaskEvent, _ now: Moment) {
    guard let call = call(named: event.job) else {
      // A call from inside a job that is rejected has no name here.
      if event.job == nil, case .rejected(.deadlock) = event.kind { return }
      return expect(false, "what is reported was asked for", "\(event)")
    }
    if calls[call].place == nil, let place = event.place {
      calls[call].place = place
      calls[call].boarded = now
    }
    let (name, keepsPlace) = (name(call), event.place == nil || calls[call].place == event.place)
    expect(keepsPlace, "a job keeps its place", name)
    switch event.kind {
    case .waiting, .drafted: break
    case .joined: calls[call].hasJoined = true
    case .began:
      calls[call].begun = now
      calls[call].reports.begun += 1
      let mayBegin = !isExact || !isPaused || calls[call].isInside || calls[call].mayBeginInPause
      expect(mayBegin, "while it is paused nothing begins", name)
    case .finished, .failed: calls[call].reports.ended += 1
    case .rejected:
      calls[call].rejected = calls[call].rejected ?? now
      calls[call].reports.rejected += 1
    case .left:
      calls[call].rejected = now
      calls[call].reports.left += 1
    case .replaced: expect(false, "nothing is replaced here", name)
    case .served: expect(false, "nothing is prefetched", name)
    default: expect(false, "no turn is reported here as too long", name)
    }
  }
}
