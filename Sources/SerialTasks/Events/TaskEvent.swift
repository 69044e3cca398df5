/// An event of a job, as reported to an executor's `onEvent`.
///
/// **Jobs.** Each job has one end: `began` and then `finished` or `failed`, or else `rejected` or `replaced`. A job
/// that has to wait is also reported `waiting` or `drafted`. The events `began`, `finished` and `failed` are reported
/// inside the job's turn: for jobs that never overlap, one at a time and in order. The events `waiting`, `rejected` and
/// `replaced` are reported on the threads that call, cancel or withdraw, and may overlap with any event, even of the
/// same job: a gauge that adds `waiting` and subtracts `began` may be below zero for a moment.
///
/// **Callers of shared operations.** A read, an operation of a coalescer, a load of a reloader and a renewal are jobs
/// with one or more callers. Each caller but the first is reported `joined`, with the place of the job; a caller that
/// gets a prefetched result, `served`, without a place; a caller that stops waiting without a result, even the first,
/// `left`. The job continues for the other callers, and is reported `finished` or `failed` even if it was cancelled
/// because no caller was left. A read or a load that loses all its callers before it begins is also reported
/// `rejected`, once, with ``isShared``. To count rejected calls, count `left`, and `rejected` that is not shared.
///
/// An operation of a coalescer that waits to follow another is reported like a load. One that was withdrawn after it
/// began, and before its closure ran, is reported `failed` with a `CancellationError`.
///
/// `onEvent` is called outside every lock. It delays the code that causes the event: keep it short. It may call the
/// executor, but must not wait for it.
public struct TaskEvent: Sendable {
  /// The kind of an event.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Kind: Sendable {
    /// The job took its place behind others.
    case waiting
    /// The job took its place as a draft (`submitWrite(latest:…)`), and waits for a newer one; instead of `waiting`.
    case drafted
    /// The job is about to run, or an operation was started.
    case began
    /// A caller waits for an operation that was already running.
    case joined
    /// A caller got a prefetched result.
    case served
    /// The job has had its turn for longer than `reportsTurnsLongerThan`, while this many jobs of the executor wait.
    ///
    /// If a caller waits for this turn in a task that was started in it (`Task {}`), the second value names the first
    /// such caller, by its name, or as `job 7`; not if the job was submitted detached. If the job awaits that task,
    /// which the library cannot detect, neither will ever continue. Reported once for each turn.
    case heldTooLong(waiting: Int, startedInTurn: String? = nil)
    /// The job returned.
    case finished
    /// The job threw.
    case failed(any Error)
    /// The job was rejected and never ran, or a caller was rejected before there was a job for it to wait for; then there
    /// is no place.
    case rejected(JobRejection)
    /// A newer job took the place of this one, which never runs; its handle gets the outcome of the newer one.
    case replaced
    /// A caller stopped waiting for a read, an operation or a load without a result.
    case left(JobRejection)
  }

  /// What happened.
  public let kind: Kind
  /// The name of the executor, or its type and a short identifier.
  public let executor: String
  private let keyNames: (any KeyNames)?
  /// The descriptions of the keys that the job touches; for a read, an operation or a prefetch, of its key.
  ///
  /// Empty for a job that touches every key. Keys are described when this is read; until then, the event keeps them alive.
  public var keys: [String] { keyNames?.names ?? [] }
  /// The name given to the job; for `joined`, `left` and `served`, that of the caller.
  public let job: String?
  /// The name of the operation that a caller joined or left.
  public let operation: String?
  /// Whether the job is an operation that callers share: a read outside a turn, an operation of a coalescer, a load or
  /// a renewal.
  public let isShared: Bool
  /// The job's place, which distinguishes jobs of the same name.
  ///
  /// Places rise with every job of an executor, but a job that replaces another has its place. `nil` for a job that was
  /// rejected before it had one, and for `served`.
  public let place: UInt64?
  /// When it happened; the time between two events is that on the executor's clock.
  public let instant: ContinuousClock.Instant
  /// How long the job had waited for its turn.
  ///
  /// For `began`, `finished`, `failed` and `heldTooLong`: zero for a call that did not have to wait; for a submitted
  /// job, the time until its task ran. For `rejected` and `replaced`, the time until then; for `left`, that of the
  /// caller. Otherwise `nil`.
  public let waited: Duration?
  /// How long the job ran, for `finished` and `failed`; for `heldTooLong`, how long it has run so far.
  ///
  /// `nil` if it failed without having run, because the engine of a `FencedSerialTaskExecutor` granted no access.
  public let ran: Duration?
  /// The number of jobs ahead when the job began to wait, including the running one; for `waiting` and `drafted`.
  ///
  /// For a job with keys, those on the key with the most; behind a write of every key, all jobs that touch a key. For a
  /// job that waits only for a slot (`maximumConcurrentJobs`), the jobs that have one. Zero if the executor is only
  /// paused.
  public let ahead: Int?

  /// Creates an event, for tests of a handler.
  public init(
    kind: Kind, executor: String, keys: [String] = [], job: String? = nil, operation: String? = nil,
    isShared: Bool = false, place: UInt64? = nil,
    instant: ContinuousClock.Instant = .now, waited: Duration? = nil, ran: Duration? = nil, ahead: Int? = nil
  ) {
    self.init(
      kind: kind, executor: executor, keyNames: keys, job: job, operation: operation, isShared: isShared, place: place,
      instant: instant, waited: waited, ran: ran, ahead: ahead)
  }

  init(
    kind: Kind, executor: String, keyNames: (any KeyNames)?, job: String?, operation: String? = nil,
    isShared: Bool = false, place: UInt64?,
    instant: ContinuousClock.Instant, waited: Duration? = nil, ran: Duration? = nil, ahead: Int? = nil
  ) {
    (self.kind, self.executor, self.keyNames, self.job, self.operation) = (kind, executor, keyNames, job, operation)
    (self.isShared, self.place, self.instant) = (isShared, place, instant)
    (self.waited, self.ran, self.ahead) = (waited, ran, ahead)
  }
}

extension TaskEvent {
  package func with(
    _ kind: Kind, at instant: ContinuousClock.Instant, waited: Duration?, ran: Duration? = nil
  ) -> TaskEvent {
    TaskEvent(
      kind: kind, executor: executor, keyNames: keyNames, job: job, operation: operation, isShared: isShared,
      place: place, instant: instant, waited: waited, ran: ran)
  }
}

extension TaskEvent.Kind {
  /// The name of the case, without its values, for metrics and tests: `heldTooLong`, `rejected`.
  public var name: String {
    switch self {
    case .waiting: "waiting"
    case .drafted: "drafted"
    case .began: "began"
    case .joined: "joined"
    case .served: "served"
    case .heldTooLong: "heldTooLong"
    case .finished: "finished"
    case .failed: "failed"
    case .rejected: "rejected"
    case .replaced: "replaced"
    case .left: "left"
    }
  }
}

extension TaskEvent: CustomStringConvertible {
  /// The event as a log line.
  public var description: String {
    let placed = place.map { "job \($0)" }
    // Calls of one place in the code often give one name.
    let caller = job == operation ? "a caller" : job ?? "a caller"
    let (job, operation) = (job ?? placed ?? "a job", operation ?? placed ?? "an operation")
    let (subject, verb): (String, String) =
      switch kind {
      case .waiting: (job, "waits")
      case .drafted: (job, "waits for a newer one")
      case .began: (job, "began")
      case .joined: (caller, "joined " + operation)
      case .served: (caller, "was given a prefetched result")
      case .heldTooLong(let waiting, let started):
        (
          job,
          "has had its turn for " + (ran.map(\.inSeconds) ?? "too long") + ", and \(waiting) wait"
            + (started.map { "; " + $0 + " was started in that turn: does " + job + " await it?" } ?? "")
        )
      case .finished: (job, "finished")
      case .failed(let error): (job, "failed: \(error)")
      case .rejected(let rejection): (job, "was rejected: " + rejection.description)
      case .replaced: (job, "was replaced by a newer job")
      case .left(let rejection): (caller, "left " + operation + ": " + rejection.description)
      }
    return executor.touching(keys) + ": " + subject + " " + verb
  }
}

extension Result {
  @usableFromInline
  package var outcome: TaskEvent.Kind {
    switch self {
    case .success: .finished
    case .failure(let error): .failed(error)
    }
  }
}
