/// The holders and waiters of all executors of this process, with their times.
///
/// Take one when something hangs: it also shows waits that are no cycle, such as that of a job for a lock or a continuation.
///
/// ```swift
/// print(WaitReport.current)
/// ```
///
/// **Contents.** Each running turn, operation, load and renewal, and everything that waits. Of a submitted job, the job is listed,
/// not the tasks that await its `value`. A job of a `FencedSerialTaskExecutor` waits until it has access to its key.
///
/// **Accuracy.** Waiting times are exact. The holding time of a turn is known if the executor has an `onEvent` or a limit on
/// turns. If several turns run, the report does not show which of them a job waits for. Executors are inspected one after another,
/// each under its own lock: a job that moves between two of them may appear twice, or not at all.
///
/// **Long operations.** A limit on turns does not apply to operations, loads and renewals. Look here for callers that
/// have waited too long.
///
/// **Complexity:** O(executors and waiting jobs).
public struct WaitReport: Sendable {
  /// A running turn or operation with its waiters, or waiting jobs without a running turn.
  public struct Executor: Sendable, Hashable {
    /// The executor's name, followed by the keys of the turn: `bank[ann, bob]`.
    public let name: String
    /// The name of its type: `SerialTaskExecutor`, say.
    public let kind: String
    /// Whether a turn or an operation is running.
    public let isHeld: Bool
    /// The name of the running job or operation, if it has one.
    public let holder: String?
    /// How long the turn has been held, if known.
    public let heldFor: Duration?
    /// Whether that is longer than `reportsTurnsLongerThan`.
    public let isHeldTooLong: Bool
    /// The waiters, in the order of places.
    ///
    /// If several turns of an executor run, the waiters are in an entry of their own.
    public let waiting: [Waiting]

    /// Creates an entry, for tests.
    public init(
      name: String, kind: String, isHeld: Bool = true, holder: String? = nil, heldFor: Duration? = nil,
      isHeldTooLong: Bool = false, waiting: [Waiting] = []
    ) {
      (self.name, self.kind, self.isHeld, self.holder) = (name, kind, isHeld, holder)
      (self.heldFor, self.isHeldTooLong, self.waiting) = (heldFor, isHeldTooLong, waiting)
    }
  }

  /// A caller or a submitted job that waits.
  public struct Waiting: Sendable, Hashable {
    /// The name of the job, if it has one.
    public let name: String?
    /// How long it has waited.
    public let waited: Duration
    /// Whether it is a draft, which waits for a newer write.
    public let isDraft: Bool

    /// Creates an entry, for tests.
    public init(name: String? = nil, waited: Duration, isDraft: Bool = false) {
      (self.name, self.waited, self.isDraft) = (name, waited, isDraft)
    }
  }

  /// The executors with a holder or waiters, in order of creation; the turns of one executor, in the order of their places.
  public let executors: [Executor]

  /// Creates a report, for tests.
  public init(executors: [Executor]) { self.executors = executors }

  /// The current state.
  public static var current: WaitReport { WaitReport(executors: WaitRegistry.collect().flatMap(\.executors)) }
}

extension WaitReport: CustomStringConvertible {
  /// The report as lines for a log: one for each holder, and below it one for each waiter.
  ///
  /// ```
  /// orders: held by ship 17 for 12.4 seconds, too long, 2 wait
  ///   ship 18 for 12.1 seconds
  ///   a job for 3.0 seconds
  /// ```
  public var description: String {
    if executors.isEmpty { return "Nothing is held, and nothing waits." }
    return executors.map(\.description).joined(separator: "\n")
  }
}

extension WaitReport.Executor: CustomStringConvertible {
  /// A line for the holder, and below it one for each waiter.
  public var description: String {
    var text = name + ": held by " + (isHeld ? holder ?? "a job" : "no job")
    if isHeld, let heldFor { text += " for " + heldFor.inSeconds }
    if isHeld, isHeldTooLong { text += ", too long" }
    if !waiting.isEmpty { text += ", \(waiting.count) wait" }
    for waiting in waiting { text += "\n  " + waiting.description }
    return text
  }
}

extension WaitReport.Waiting: CustomStringConvertible {
  /// The job, and its waiting time.
  public var description: String { (name ?? "a job") + " for " + waited.inSeconds + (isDraft ? ", a draft" : "") }
}

extension Duration {
  /// Seconds with one digit, or with three below one second.
  var inSeconds: String {
    let total = attoseconds.magnitude
    let digits = total < 1_000_000_000_000_000_000 ? 3 : 1
    let scale: UInt128 = digits == 3 ? 1_000 : 10
    let (whole, rest) = (total / (1_000_000_000_000_000_000 / scale)).quotientAndRemainder(dividingBy: scale)
    let zeros = String(repeating: "0", count: digits - "\(rest)".count)
    return "\(whole).\(zeros)\(rest) seconds"
  }
}
