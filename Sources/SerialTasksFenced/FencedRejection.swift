/// Why a job of a ``FencedSerialTaskExecutor`` never ran, for calls with typed errors.
public enum FencedRejection: Error {
  /// The job was rejected in this process: cancelled, withdrawn, or for another reason of `JobRejection`.
  case rejected(JobRejection)
  /// The engine granted no access: its error, or an ``AccessError``.
  case noAccess(any Error)
}

extension FencedRejection {
  var untyped: any Error {
    switch self {
    case .rejected(.cancelled): CancellationError()
    case .rejected(let why): why
    case .noAccess(let error): error
    }
  }
}

extension FencedRejection: CustomStringConvertible {
  /// A sentence that says what happened.
  public var description: String {
    switch self {
    case .rejected(let why): why.description
    case .noAccess(let error): "No access to the key: \(error)"
    }
  }
}
