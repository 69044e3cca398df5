import Logging
import SerialTasks

/// What executors report, for the three packages that servers use.
package enum Observing {
  /// All of them, as one handler, for executors of these names, whose callers log what they are told.
  package static func all(logger: Logger, of executors: [String], last: LastEvents) -> @Sendable (TaskEvent) -> Void {
    let (logs, metrics) = (LogBridge(logger, callersLog: true), MetricsBridge(of: executors))
    let spans = TraceBridge()
    return { event in
      last.record(event)
      logs.report(event)
      metrics.report(event)
      spans.report(event)
    }
  }
}
