import Metrics
import SerialTasks

/// Events as metrics, with the executor as their dimension and never a key.
package struct MetricsBridge: Sendable {
  private let factory: (any MetricsFactory)?

  /// - Parameters:
  ///   - executors: Those whose counters are there from the start: what watches for a rise would miss the first.
  ///   - factory: Where the metrics go; `nil` means the one that the program has chosen.
  package init(of executors: [String] = [], factory: (any MetricsFactory)? = nil) {
    self.factory = factory
    for executor in executors.map({ ("executor", $0) }) {
      for label in ["jobs_began", "jobs_failed", "callers_left"] { count(label, executor, by: 0) }
      for why in ["full", "late", "closed", "deadlock"] { count("jobs_rejected", executor, ("reason", why), by: 0) }
    }
  }

  package func report(_ event: TaskEvent) {
    let executor = ("executor", event.executor)
    switch event.kind {
    case .waiting:
      // How long the line of its keys is. How many wait in all is what `snapshot` says.
      if let ahead = event.ahead {
        Recorder(label: "jobs_ahead", dimensions: [executor], factory: metrics).record(ahead)
      }
    case .began:
      count("jobs_began", executor)
      record("jobs_waited", event.waited, executor)
    case .heldTooLong: count("turns_held_too_long", executor)
    case .joined: count("jobs_joined", executor)
    case .rejected(let why): count("jobs_rejected", executor, ("reason", why.name))
    // No load that was shed: the read of the last caller is rejected, too, and is counted there.
    case .left: count("callers_left", executor)
    case .failed(let error) where !(error is CancellationError): count("jobs_failed", executor)
    default: break
    }
    if case .heldTooLong = event.kind { return }
    record("jobs_ran", event.ran, executor)
  }

  private var metrics: any MetricsFactory { factory ?? MetricsSystem.factory }

  private func count(_ label: String, _ dimensions: (String, String)..., by amount: Int = 1) {
    Counter(label: label, dimensions: dimensions, factory: metrics).increment(by: amount)
  }

  private func record(_ label: String, _ time: Duration?, _ executor: (String, String)) {
    guard let time else { return }
    Timer(label: label, dimensions: [executor], factory: metrics).record(duration: time)
  }
}
