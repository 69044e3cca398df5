/// Something that happened to a job, as reported to an executor's `onEvent`.
///
/// Each job has one end: `began` and then `finished` or `failed`, or else `rejected`. A job that has to wait is also reported
/// `waiting`. `began`, `finished` and `failed` of one executor come in the order of places, one at a time, inside the job's
/// turn; `waiting` and `rejected` come from the threads of those who call, cancel or withdraw, and may overlap with anything,
/// the same job's other events included.
///
/// Of a coalescer, a flight is reported `began` and then `finished` or `failed` (with a `CancellationError` if it was withdrawn
/// before it could begin), and each caller beside the one that leads `joined` or `served`; callers that leave or are withdrawn
/// are reported `rejected` besides. Events of different flights overlap.
///
/// `onEvent` is called outside every lock. It delays whoever calls it, so it should be short; it may call the executor, and
/// must not wait for it.
public struct TaskEvent: Sendable {
  /// What can happen to a job.
  public enum Kind: Sendable {
    /// The job took its place behind others.
    case waiting
    /// The job is about to run, or a flight was started.
    case began
    /// A caller waits for a flight that ran already.
    case joined
    /// A caller was given what had been prefetched.
    case served
    /// The job, or caller, has waited for seconds, in a task that was started in the very turn or flight that it waits for.
    ///
    /// If the job that has the turn, named here, awaits that task, neither will ever go on; nobody but you can know. Reported
    /// once, and nothing is done about it.
    case stalled(behind: String?)
    /// The job returned.
    case finished
    /// The job threw.
    case failed(any Error)
    /// The job was turned away and never ran, or a caller of a flight was turned away or left it.
    case rejected(JobRejection)
  }

  /// What happened.
  public let kind: Kind
  /// The name of the executor, or its type and a short id; followed by the key where each key has a line: `accounts[ann]`.
  public let executor: String
  /// The name given to the job.
  public let job: String?
  /// The job's place, which tells two jobs of one name apart.
  ///
  /// It rises with every job that comes to one executor. `nil` for a job that was rejected before it had one.
  public let place: UInt64?
}

extension TaskEvent: CustomStringConvertible {
  /// The event as a log line.
  public var description: String {
    let job = job ?? place.map { "job \($0)" } ?? "a job"
    return switch kind {
    case .waiting: "\(executor): \(job) waits"
    case .began: "\(executor): \(job) began"
    case .joined: "\(executor): \(job) was joined"
    case .served: "\(executor): \(job) was served what had been prefetched"
    case .stalled(let other):
      "\(executor): \(job) waits for the turn of \(other ?? "the job") that started it; does that job await it?"
    case .finished: "\(executor): \(job) finished"
    case .failed(let error): "\(executor): \(job) failed: \(error)"
    case .rejected(let rejection): "\(executor): \(job) was rejected: \(rejection)"
    }
  }
}
