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

extension TaskEvent {
  /// The executor without its key: there may be millions of keys, and a metric for each would end the backend.
  package var executorWithoutKey: String {
    executor.hasSuffix("]") ? String(executor.prefix { $0 != "[" }) : executor
  }
}
