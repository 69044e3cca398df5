import SerialTasks

/// What happened to the reads and writes of one executor, each with its moment, to be checked when all of it is over.
///
/// A moment is a number that rises with everything that is written down, so of two things the one with the lower number was
/// written down first. A call is `asked` before it is made, `boarded` after it has got its place or a flight, `answered` after it
/// has returned; an operation has `began` in its first instruction and `ended` in its last. The checks use these bounds
/// and nothing closer, so they are as true of real threads as of explored schedules.
package struct History: Sendable {
  package typealias Moment = Int

  package enum Key: Int, CaseIterable, Sendable { case x, y, z }

  /// What a read returns and throws: reads of one key and two kinds are never one.
  package enum Kind: CaseIterable, Sendable { case number, text, typed }

  package enum What: Hashable, Sendable {
    case read(Key, Kind)
    /// A write of these keys, or of every key.
    case write([Key]?)
  }

  /// What an operation came to; it goes to all who waited for it, be it returned or thrown.
  package struct Value: Hashable, Sendable {
    /// Whose operation it was.
    package let call: Int
    /// The number of the write that it saw last; 0 is what the key was before.
    package let version: Int

    package init(call: Int, version: Int) { (self.call, self.version) = (call, version) }
  }

  package enum Answer: Hashable, Sendable {
    case returned(Value)
    case failed(Value)
    case rejected(JobRejection)
  }

  /// What really ran.
  package struct Operation: Sendable {
    package var began: Moment
    package var ended: Moment?
    /// What it found when it began, and just before it ended, of each key that it touches.
    package var found: [Int]
    package var left: [Int]?
    /// Whether it had been cancelled when it ended.
    package var isCancelled = false
    /// Moments between the two at which every task was suspended, where that can be known.
    package var quiet: [Moment] = []

    package init(began: Moment, ended: Moment? = nil, found: [Int], left: [Int]? = nil) {
      (self.began, self.ended, self.found, self.left) = (began, ended, found, left)
    }
  }

  package struct Call: Sendable {
    package let what: What
    /// The task that made it, which can be cancelled.
    package let owner: Int
    package var isSubmitted = false
    /// Whether it is made in a turn of other keys: then it goes before jobs that wait, and is not shared.
    package var isInside = false
    package var asked: Moment
    package var boarded: Moment?
    /// Its own, or that of the flight that it joined.
    package var place: UInt64?
    package var hasJoined = false
    /// Just before its task was cancelled, or its handle was.
    package var cancelled: Moment?
    package var operation: Operation?
    package var answered: Moment?
    package var answer: Answer?
    /// When its own job was reported to begin, and that it was rejected.
    package var begun: Moment?
    /// Whether it may have had its turn when a pause began.
    package var mayBeginInPause = false
    package var rejected: Moment?
    /// How often it was reported to begin, to have ended, to be rejected, and to have left.
    package var reports = (begun: 0, ended: 0, rejected: 0, left: 0)

    package init(what: What, owner: Int = 0, isSubmitted: Bool = false, asked: Moment) {
      (self.what, self.owner, self.isSubmitted, self.asked) = (what, owner, isSubmitted, asked)
    }
  }

  package struct Broken: Error, Hashable {
    package let promise: String
    package let detail: String
  }

  package let limit: Int?
  package let capacity: Int?
  /// Whether nothing comes between what the executor decides and its being written down, as in the explorer.
  package let isExact: Bool

  /// In the order in which they were asked.
  package var calls: [Call] = []
  package var now: Moment = 0
  /// From just before each `cancelAll` to just after it.
  package var withdrawals: [(began: Moment, ended: Moment)] = []
  /// Just before `close`, and just after.
  package var closing: Moment?
  package var closed: Moment?
  package var drains: [(asked: Moment, returned: Moment)] = []
  package var isPaused = false
  /// Moments at which none could go on that had not, and whether the executor was paused.
  package var rests: [(moment: Moment, isPaused: Bool)] = []
  /// Just before the tasks of these were cancelled.
  package var cancelledOwners: [Int: Moment] = [:]
  package internal(set) var broken: Broken?

  /// Notes that it is paused: a job that has its turn may still begin.
  package mutating func pauses() {
    isPaused = true
    for index in calls.indices where calls[index].begun == nil {
      calls[index].mayBeginInPause = calls[..<index].allSatisfy { earlier in
        !earlier.conflicts(with: calls[index]) || earlier.hasJoined || earlier.answer != nil || earlier.rejected != nil
          || earlier.operation?.ended != nil
      }
    }
  }

  package init(limit: Int? = nil, capacity: Int? = nil, isExact: Bool = false) {
    self.limit = limit
    self.capacity = capacity
    self.isExact = isExact
  }

  package mutating func tick() -> Moment {
    now += 1
    return now
  }

  /// Whether `cancelAll` may have come between the two.
  func mayHaveCleared(since first: Moment, before last: Moment) -> Bool {
    withdrawals.contains { $0.ended > first && $0.began < last }
  }

  /// Checks a promise when it is written down; the first that is broken is kept.
  mutating func expect(_ holds: Bool, _ promise: StaticString, _ detail: String) {
    if !holds, broken == nil { broken = Broken(promise: "\(promise)", detail: detail) }
  }
}

// MARK: - Names

extension History {
  /// What events call it: they are found again by that.
  package func name(_ call: Int) -> String {
    switch calls[call].what {
    case .read: "r\(call)"
    case .write: "w\(call)"
    }
  }

  package func call(named name: String?) -> Int? {
    name.flatMap { Int($0.dropFirst()) }.flatMap { calls.indices.contains($0) ? $0 : nil }
  }
}

extension History.Call {
  var isWrite: Bool { if case .write = what { true } else { false } }

  private var touchesEveryKey: Bool { if case .write(nil) = what { true } else { false } }

  /// The keys that it touches.
  var keys: [History.Key] {
    switch what {
    case .read(let key, _): [key]
    case .write(let keys): keys ?? History.Key.allCases
    }
  }

  /// Whether one of the two must wait for the other.
  func conflicts(with other: History.Call) -> Bool {
    if touchesEveryKey || other.touchesEveryKey { return true }
    return (isWrite || other.isWrite) && keys.contains(where: other.keys.contains)
  }

  var rejection: JobRejection? { if case .rejected(let why) = answer { why } else { nil } }

  var value: History.Value? {
    switch answer {
    case .returned(let value), .failed(let value): value
    case .rejected, nil: nil
    }
  }

  /// Whether it has a place of its own.
  var leads: Bool { place != nil && !hasJoined }

  /// Whether callers share it, if it is a read.
  var isShared: Bool { !isWrite && !isInside }

  /// Whether its job had its turn, and its operation has not ended.
  func isRunning(at moment: History.Moment) -> Bool {
    begun ?? .max < moment && operation?.ended ?? .max > moment
  }

  /// Whether it was let in, and had gone again without an answer before the moment.
  func hasLeft(before moment: History.Moment) -> Bool {
    guard let answered, rejection != nil else { return false }
    return answered < moment
  }
}

// MARK: - Descriptions, by hand: they are made for every line of a trace

extension History.What: CustomStringConvertible {
  package var description: String {
    switch self {
    case .read(let key, let kind): "\(key)\(kind.suffix)"
    case .write(let keys?): "to write \(keys.map { "\($0)" }.joined(separator: " and "))"
    case .write(nil): "to write all"
    }
  }
}

extension History.Key: CustomStringConvertible {
  package var description: String {
    switch self {
    case .x: "x"
    case .y: "y"
    case .z: "z"
    }
  }
}

extension History.Kind {
  fileprivate var suffix: String {
    switch self {
    case .number: ""
    case .text: ", as text"
    case .typed: ", typed"
    }
  }
}

extension History.Answer: CustomStringConvertible {
  package var description: String {
    switch self {
    case .returned(let value): "with \(value.version), of call \(value.call)"
    case .failed(let value): "with the error of call \(value.call), at \(value.version)"
    case .rejected(let why): "\(why)"
    }
  }
}
