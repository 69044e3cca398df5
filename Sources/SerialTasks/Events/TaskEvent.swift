/// Something that happened to a job, as reported to an executor's `onEvent`.
///
/// Each job is reported from its arrival to its one end: `began` and then `finished` or `failed`, or else `rejected`; a job
/// that had to wait is reported `waiting` first. `onEvent` is called outside every lock, on the thread on which the event
/// happened. `began`, `finished` and `failed` of one executor are called in the order of places, one at a time, and before
/// `drain()` returns; `waiting` and `rejected` come from the threads of those who call, and may overlap with anything.
///
/// The closure delays whoever calls it, so it should be short. It may call the executor.
public struct TaskEvent: Sendable {
  /// What can happen to a job.
  public enum Kind: Sendable {
    /// The job took its place behind others.
    case waiting
    /// The job is about to run.
    case began
    /// The job returned.
    case finished
    /// The job threw.
    case failed(any Error)
    /// The job was turned away and never ran.
    case rejected(JobRejection)
  }

  /// What happened.
  public let kind: Kind
  /// The name of the executor, or its type and a short id.
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
    case .finished: "\(executor): \(job) finished"
    case .failed(let error): "\(executor): \(job) failed: \(error)"
    case .rejected(let rejection): "\(executor): \(job) was rejected: \(rejection)"
    }
  }
}
