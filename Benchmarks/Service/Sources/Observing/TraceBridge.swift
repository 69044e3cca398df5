import SerialTasks
import Tracing

/// Events as spans.
package struct TraceBridge: Sendable {
  package init() {}
  package func report(_ event: TaskEvent) {}
}
