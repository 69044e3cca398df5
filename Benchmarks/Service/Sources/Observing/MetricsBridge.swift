import Metrics
import SerialTasks

/// Events as metrics, with the executor as their dimension and never a key.
package struct MetricsBridge: Sendable {
  private let factory: (any MetricsFactory)?

  /// - Parameter factory: Where the metrics go; `nil` means the one that the program has chosen.
  package init(factory: (any MetricsFactory)? = nil) { self.factory = factory }

  package func report(_ event: TaskEvent) {
    let executor = ("executor", event.executor)
    switch event.kind {
    case .waiting:
      let depth = Recorder(label: "jobs_ahead", dimensions: [executor], factory: metrics)
      if let ahead = event.ahead { depth.record(ahead) }
    case .began:
      count("jobs_began", executor)
      record("jobs_waited", event.waited, executor)
    case .heldTooLong: count("turns_held_too_long", executor)
    case .joined: count("jobs_joined", executor)
    case .rejected(let why): count("jobs_rejected", executor, ("reason", why.name))
    case .left: count("callers_left", executor)
    case .failed(let error) where !(error is CancellationError): count("jobs_failed", executor)
    default: break
    }
    if case .heldTooLong = event.kind { return }
    record("jobs_ran", event.ran, executor)
  }

  private var metrics: any MetricsFactory { factory ?? MetricsSystem.factory }

  private func count(_ label: String, _ dimensions: (String, String)...) {
    Counter(label: label, dimensions: dimensions, factory: metrics).increment()
  }

  private func record(_ label: String, _ time: Duration?, _ executor: (String, String)) {
    guard let time else { return }
    Timer(label: label, dimensions: [executor], factory: metrics).record(duration: time)
  }
}
