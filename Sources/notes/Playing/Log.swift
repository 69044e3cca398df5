import SerialTasks
import SerialTasksTesting
import Synchronization

/// The events of a play, in virtual milliseconds.
final class Log: Sendable {
  /// What happened to one call.
  struct Entry: Sendable {
    let call: Call
    let asked: Int
    /// When its work began and ended; `nil` if its work was never done.
    var began, ended: Int?
    var answer: Result<Answer, any Error>?
    /// Whether it was made inside another call.
    let isNested: Bool
  }

  struct Work {
    let number, due: Int
    let gate = Gate()
  }

  struct State {
    fileprivate(set) var now = 0
    fileprivate var calls: [Int: Entry] = [:]
    fileprivate var work: [Work] = []
    /// What executors have reported.
    fileprivate(set) var reported: [TaskEvent] = []
    /// The numbers of the calls whose answers were shown, in order.
    fileprivate(set) var shown: [Int] = []
  }

  private let mutex = Mutex(State())

  var state: State { locked { $0 } }

  /// Not inlined into async functions, where Swift 6.3 for Linux may look up a lock's thread too early.
  @inline(never)
  private func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result { mutex.withLock { body(&$0) } }
}

// MARK: - Writing it

extension Log {
  func ask(_ call: Call, isNested: Bool) {
    locked { $0.calls[call.number] = Entry(call: call, asked: $0.now, isNested: isNested) }
  }

  func report(_ event: TaskEvent) { locked { $0.reported.append(event) } }

  func answer(_ number: Int, _ answer: Result<Answer, any Error>) {
    locked { $0.calls[number]?.answer = answer }
  }

  func show(_ number: Int) { locked { $0.shown.append(number) } }

  /// Begins work.
  ///
  /// - Returns: The gate that opens when the work is done.
  func begin(_ number: Int, for time: Int) -> Gate {
    locked { state in
      let work = Work(number: number, due: state.now + time)
      state.work.append(work)
      if state.calls[number]?.began == nil { state.calls[number]?.began = state.now }
      return work.gate
    }
  }

  /// Ends the work that is due next and moves time there, unless that is after the limit.
  ///
  /// - Returns: The gate to open.
  func endWork(by limit: Int) -> Gate? {
    locked { state in
      let next = state.work.min { ($0.due, $0.number) < ($1.due, $1.number) }
      guard let next, next.due <= limit else { return nil }
      state.now = next.due
      state.work.removeAll { $0.gate === next.gate }
      state.calls[next.number]?.ended = next.due
      return next.gate
    }
  }

  /// Ends work that was cancelled.
  func stopWork(_ number: Int) {
    locked { state in
      state.work.removeAll { $0.number == number }
      state.calls[number]?.ended = state.now
    }
  }

  func move(to moment: Int) { locked { $0.now = moment } }
}

// MARK: - Reading it

extension Log.State {
  var entries: [Log.Entry] { calls.values.sorted { $0.call.number < $1.call.number } }

  /// The number of unanswered calls, without nested ones.
  var open: Int { calls.values.count { $0.answer == nil && !$0.isNested } }

  /// The numbers of the calls whose work is running.
  var atWork: Set<Int> { Set(work.map(\.number)) }

  /// Whether executors have reported every call that was made.
  var haveAllArrived: Bool { Set(calls.values.map(\.call.name)).isSubset(of: reported.map { $0.job ?? "" }) }

  /// The number of jobs that have begun and not ended, as executors have reported.
  var running: Int {
    reported.reduce(0) { count, event in
      switch event.kind {
      case .began: count + 1
      case .finished, .failed: count - 1
      default: count
      }
    }
  }
}
