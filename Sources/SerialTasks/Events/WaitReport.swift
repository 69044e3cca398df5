/// Who holds what in this process, since when, and who waits for it.
///
/// Take one when something hangs. A cycle of executors and flights is rejected with ``JobRejection/deadlock(_:)``; this shows
/// all other waits too, such as a job that never returns because it waits for a lock or a continuation.
///
/// ```swift
/// print(WaitReport.current)
/// ```
///
/// **What is in it.** Each turn, each flight and each load that goes on, each renewal that is still wanted, and whatever waits,
/// of every executor, ``TaskCoalescer``, ``Reloader`` and ``RenewingValue`` in the process. What has neither a holder nor a
/// waiter is left out. Tasks that await the `value` of a submitted job are not listed: the job is. A job of a
/// `FencedSerialTaskExecutor` waits until it has access to its key, also when no other job of this process is ahead of it.
///
/// **How exact it is.** How long a caller or a submitted job has waited is exact. How long a turn has been held is known if the
/// executor has an `onEvent` or a limit on turns: otherwise it reads no clock. Where several turns go on, the report does not say
/// which of them a job waits for. Each executor is looked at under its own lock, one after the other: a job that moves from one
/// to another meanwhile may be in the report twice, or not at all.
///
/// **Cost.** While no report is taken: the registration of each executor when it is made. To take one: O(executors and waiting
/// jobs).
public struct WaitReport: Sendable {
  /// A turn or a flight that goes on, with what waits for it, or jobs that wait and behind no turn.
  public struct Executor: Sendable, Hashable {
    /// What has a holder or waiters.
    #if hasAttribute(nonexhaustive)
      @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable {
      /// A ``SerialTaskExecutor``.
      case serialTaskExecutor = "SerialTaskExecutor"
      /// A ``KeyedSerialTaskExecutor``.
      case keyedSerialTaskExecutor = "KeyedSerialTaskExecutor"
      /// A ``CoalescingTaskExecutor``.
      case coalescingTaskExecutor = "CoalescingTaskExecutor"
      /// A `FencedSerialTaskExecutor`, of the product `SerialTasksFenced`.
      case fencedSerialTaskExecutor = "FencedSerialTaskExecutor"
      /// A ``TaskCoalescer``.
      case taskCoalescer = "TaskCoalescer"
      /// A ``Reloader``.
      case reloader = "Reloader"
      /// A ``RenewingValue``.
      case renewingValue = "RenewingValue"
    }

    /// What a ``DeadlockError`` calls it: the executor's name, followed by the keys that the turn touches, as in
    /// `bank[ann, bob]`.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// Whether a turn or a flight goes on.
    public let isHeld: Bool
    /// The name of the job that has the turn, or of the flight, if it has one.
    public let holder: String?
    /// How long the turn has been held, as far as that is known.
    public let heldFor: Duration?
    /// What waits, in the order of places.
    ///
    /// If several turns of an executor go on, what waits is in an entry of its own. The callers of a flight or of a shared read
    /// are listed one by one.
    public let waiting: [Waiting]

    /// Creates an entry, for example to test code that reads a report.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - kind: What it is.
    ///   - isHeld: Whether a turn or a flight goes on.
    ///   - holder: The name of the job that has the turn.
    ///   - heldFor: How long the turn has been held.
    ///   - waiting: What waits.
    public init(
      name: String, kind: Kind, isHeld: Bool = true, holder: String? = nil, heldFor: Duration? = nil,
      waiting: [Waiting] = []
    ) {
      self.name = name
      self.kind = kind
      self.isHeld = isHeld
      self.holder = holder
      self.heldFor = heldFor
      self.waiting = waiting
    }
  }

  /// A caller or a submitted job that waits.
  public struct Waiting: Sendable, Hashable {
    /// The name of the job, if it has one.
    public let name: String?
    /// How long it has waited.
    public let waited: Duration
    /// Whether it waits for a newer write that replaces it, as a draft.
    public let isDraft: Bool

    /// Creates an entry, for example to test code that reads a report.
    ///
    /// - Parameters:
    ///   - name: The name of the job.
    ///   - waited: How long it has waited.
    ///   - isDraft: Whether it waits for a newer write that replaces it.
    public init(name: String? = nil, waited: Duration, isDraft: Bool = false) {
      self.name = name
      self.waited = waited
      self.isDraft = isDraft
    }
  }

  /// What has a holder or waiters: executors in the order in which they were made, and the turns of one in the order of their
  /// places.
  public let executors: [Executor]

  /// Creates a report, for example to test code that reads one.
  ///
  /// - Parameter executors: What has a holder or waiters.
  public init(executors: [Executor]) { self.executors = executors }

  /// A report of this moment.
  public static var current: WaitReport { WaitReport(executors: WaitRegistry.collect().flatMap(\.executors)) }
}

extension WaitReport: CustomStringConvertible {
  /// The report as lines for a log: one for each holder, and below it one for each that waits.
  ///
  /// ```
  /// orders: held by ship 17 for 12.4 seconds, 2 wait
  ///   ship 18 for 12.1 seconds
  ///   a job for 3.0 seconds
  /// ```
  public var description: String {
    if executors.isEmpty { return "Nothing is held, and nothing waits." }
    return executors.map(\.description).joined(separator: "\n")
  }
}

extension WaitReport.Executor: CustomStringConvertible {
  /// A line that says who holds it, and below it one for each that waits.
  public var description: String {
    var line = "\(name): "
    if isHeld {
      line += "held by \(holder ?? "a job")\(heldFor.map { " for \($0)" } ?? "")"
    } else {
      line += "held by no job"
    }
    if !waiting.isEmpty { line += ", \(waiting.count) wait" }
    return ([line] + waiting.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension WaitReport.Waiting: CustomStringConvertible {
  /// The job, and how long it has waited.
  public var description: String { "\(name ?? "a job") for \(waited)\(isDraft ? ", a draft" : "")" }
}
