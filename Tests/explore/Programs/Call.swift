import CoalescingTasks

/// What a job touches: keys, shared or alone, or every key.
///
/// That is all that decides who waits for whom.
struct Touch: Hashable, Sendable {
  /// As they were named, one perhaps twice; `nil` is every key.
  let keys: [String]?
  let isShared: Bool

  init(_ keys: [String]?, isShared: Bool = false) { (self.keys, self.isShared) = (keys, isShared) }

  func meets(_ other: Touch) -> Bool {
    guard let keys, let others = other.keys else { return true }
    return keys.contains(where: others.contains)
  }

  func conflicts(with other: Touch) -> Bool { !(isShared && other.isShared) && meets(other) }

  func contains(_ key: String?) -> Bool { key.map { keys?.contains($0) ?? true } ?? true }
}

/// One way to hand in work, as it was drawn.
struct Call: Sendable {
  /// Of a flight, submitted means that a completion handler gets the answer, and ahead that no caller waits for it.
  enum Way { case awaited, submitted, detached, ahead }

  let name: String
  /// What the executor is told of it: no name if it reports nothing, as only such jobs share what is made for speed.
  let label: String?
  let way: Way
  let touch: Touch
  /// Whether errors are typed, which only those of awaited calls are; typed and untyped reads are never one.
  let isTyped: Bool
  /// Whether the result is of another type; writes that return other types do not replace each other.
  var isWrapped: Bool { latest != nil && work.sleeps == 3 }
  /// A write that replaces those with the same value that have not begun.
  var latest: String?
  /// How long it waits for a newer one, and the first of them at most, if it does.
  var draft: (after: Int, atMost: Int?)?
  /// How long it may wait.
  var limit: Int?
  /// Of a submitted job, or of a read.
  var priority: TaskPriority?
  var work: Work
  /// What tasks do with the handle of what is submitted: wait for it, with these priorities, and cancel it.
  var awaited: [TaskPriority] = []
  var cancelledAfter: Int?
  /// Whether it asks for a flight; and how long the result is kept of one that is fetched ahead, or is valid.
  var isFlight = false
  var expiresAfter: Int?
  /// What it does with a flight that runs.
  var policy = SharingPolicy.join
  /// Whether it rejects the newest value (0), or an older one.
  var rejects: Int?
}

/// What a job does.
struct Work: Sendable {
  let steps: Int
  /// How much time passes in it; or it lets everybody go on who can, if that is 1.
  let sleeps: Int
  var error: JobError?
  var inside: [Act] = []
  /// Whether it cancels its own task when it ends.
  var cancelsItself = false

  init(steps: Int = 0, sleeps: Int = 0, error: JobError? = nil) {
    (self.steps, self.sleeps, self.error) = (steps, sleeps, error)
  }

  /// A job of up to two steps; one in four throws.
  init(_ random: inout SplitMix) {
    self.init(steps: random.below(3), error: random.once(in: 4) ? JobError() : nil)
  }
}

/// Thrown by jobs; a class, to see that it comes back as the same instance.
final class JobError: Error, Sendable {}

/// What a typed call throws.
enum Fault: Error {
  case thrown(any Error)
  case rejected(JobRejection)

  /// What an untyped call would have thrown.
  static func untyped(_ error: any Error) -> any Error {
    switch error {
    case Fault.thrown(let error): error
    case Fault.rejected(let why): why
    default: error
    }
  }
}

/// One thing that a task does.
indirect enum Act: Sendable {
  case call(Call)
  /// Waits for the result of a job that was submitted earlier.
  case await
  /// Two child tasks wait for that, and one of them leaves after so many steps.
  case awaitTwice(steps: Int)
  case pause(steps: Int, sleeps: Bool)
  case resume
  case clear(key: String?)
  case invalidate(key: String?)
  /// Puts in a value from elsewhere.
  case replace(validity: Int)
  case drain(key: String?)
  case close
  case shutDown(limit: Int)
  case steps(Int)
  case sleep(Int)
  /// Time passes while others can go on.
  case leap(Int)
}

/// A submitted job, whatever it throws.
struct Handle: Sendable {
  let name: String
  let result: @Sendable () async -> Result<Int, any Error>
  let whenComplete: @Sendable (@escaping @Sendable (Result<Int, any Error>) -> Void) -> Void
  let cancel: @Sendable () -> Void
  let isCancelled: @Sendable () -> Bool

  init(_ call: Call, _ job: SubmittedJob<Int>) { self.init(call, job) { $0 } }

  /// A job that returns a number inside something else, which the closure takes out.
  init<Value>(_ call: Call, _ job: SubmittedJob<Value>, _ number: @escaping @Sendable (Value) -> Int) {
    name = call.name
    result = { await job.result.map(number) }
    whenComplete = { handler in job.whenComplete { handler($0.map(number)) } }
    cancel = { job.cancel() }
    isCancelled = { job.isCancelled }
  }
}
