import Logging
import SerialTasks

/// Events as log lines, with a level that lets a person sleep: a caller that leaves is no error.
package struct LogBridge: Sendable {
  private let logger: Logger
  private let callersLog: Bool

  /// - Parameters:
  ///   - logger: Where the lines go.
  ///   - callersLog: Whether callers log what they are told, with what they know of their request. Then one line is enough, and what
  ///     is said here of a job that fails or is rejected is of the level *debug*.
  package init(_ logger: Logger, callersLog: Bool = false) { (self.logger, self.callersLog) = (logger, callersLog) }

  /// For `onEvent`, which sees the task-locals of the task that causes the event: a metadata provider finds the request's id.
  package func report(_ event: TaskEvent) {
    let level = callersLog && event.level == .info ? .debug : event.level
    // The text costs more than the line.
    guard logger.logLevel <= level else { return }
    var metadata: Logger.Metadata = ["executor": "\(event.executor)"]
    if let job = event.job { metadata["job"] = "\(job)" }
    if let place = event.place { metadata["place"] = "\(place)" }
    if let waited = event.waited { metadata["waited"] = "\(waited)" }
    if let ran = event.ran { metadata["ran"] = "\(ran)" }
    if let ahead = event.ahead { metadata["ahead"] = "\(ahead)" }
    logger.log(level: level, "\(event)", metadata: metadata)
  }
}

extension TaskEvent {
  package var level: Logger.Level {
    switch kind {
    case .rejected(.deadlock), .left(.deadlock): .error
    case .heldTooLong: .warning
    case .rejected(.cancelled), .left, .failed(is CancellationError): .debug
    // Load was shed. The caller has been told.
    case .rejected: .info
    // The job's own affair: its caller gets the error, and knows whether it is one.
    case .failed: .info
    case .waiting, .drafted, .began, .joined, .served, .finished, .replaced: .trace
    @unknown default: .trace
    }
  }
}
