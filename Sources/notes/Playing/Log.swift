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

  /// What the player needs to decide whether anything can still happen at this moment.
  struct Situation {
    /// The number of unanswered calls, without nested ones.
    let open: Int
    /// The numbers of the calls whose work is running.
    let atWork: Set<Int>
    /// Whether executors have reported every call that was made.
    let haveAllArrived: Bool
  }

  private struct Work {
    let number, due: Int
    let gate = Gate()
  }

  private struct State {
    var now = 0
    var entries: [Int: Entry] = [:]
    var work: [Work] = []
    var arrived: Set<String> = []
    var shown: [Int] = []
  }

  private let state = Mutex(State())

  /// Not inlined into async functions, where Swift 6.3 for Linux may look up a lock's thread too early.
  @inline(never)
  private func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
}

// MARK: - Writing it

extension Log {
  func ask(_ call: Call, isNested: Bool) {
    locked { $0.entries[call.number] = Entry(call: call, asked: $0.now, isNested: isNested) }
  }

  func arrive(_ name: String) { _ = locked { $0.arrived.insert(name) } }

  func answer(_ number: Int, _ answer: Result<Answer, any Error>) {
    locked { $0.entries[number]?.answer = answer }
  }

  func show(_ number: Int) { locked { $0.shown.append(number) } }

  /// Begins work.
  ///
  /// - Returns: The gate that opens when the work is done.
  func begin(_ number: Int, for time: Int) -> Gate {
    locked { state in
      let work = Work(number: number, due: state.now + time)
      state.work.append(work)
      if state.entries[number]?.began == nil { state.entries[number]?.began = state.now }
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
      state.entries[next.number]?.ended = next.due
      return next.gate
    }
  }

  func move(to moment: Int) { locked { $0.now = moment } }
}

// MARK: - Reading it

extension Log {
  var entries: [Entry] { locked { $0.entries.values.sorted { $0.call.number < $1.call.number } } }

  /// The numbers of the calls whose answers were shown, in order.
  var shown: [Int] { locked { $0.shown } }

  var situation: Situation {
    locked { state in
      Situation(
        open: state.entries.values.count { $0.answer == nil && !$0.isNested }, atWork: Set(state.work.map(\.number)),
        haveAllArrived: state.entries.values.allSatisfy { state.arrived.contains($0.call.name) })
    }
  }
}
