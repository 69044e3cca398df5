import Logging
import SerialTasks

/// What executors report, for the three packages that servers use.
package enum Observing {
  /// All of them, as one handler.
  package static func all(logger: Logger) -> @Sendable (TaskEvent) -> Void {
    let (logs, metrics, spans) = (LogBridge(logger), MetricsBridge(), TraceBridge())
    return { event in
      logs.report(event)
      metrics.report(event)
      spans.report(event)
    }
  }
}
