import Metrics
import Synchronization

/// Keeps metrics in memory, and prints them as Prometheus reads them.
///
/// A server in production has a backend of swift-metrics in its place.
package final class MetricsPage: MetricsFactory {
  fileprivate enum Kind: String { case counter, gauge, histogram }

  /// One metric with its dimensions, or what is looked at when the page is asked for.
  fileprivate struct Value {
    var sum = 0.0
    var count = 0
    /// How many were at most as much as each bound.
    var atMost: [Int] = []
    var look: (@Sendable () -> Double)?
  }

  fileprivate struct Family {
    let kind: Kind
    var bounds: [Double] = []
    var values: [String: Value] = [:]
  }

  /// In seconds.
  fileprivate static let times = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  fileprivate static let numbers = [0.0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

  private let families = Mutex<[String: Family]>([:])

  package init() {}

  /// Prints what this returns, as a gauge.
  package func look(_ name: String, _ labels: String = "", _ value: @escaping @Sendable () -> Double) {
    families.withLock { $0[name, default: Family(kind: .gauge)].values[labels, default: Value()].look = value }
  }

  package var text: String {
    let families = families.withLock { $0 }
    return families.sorted { $0.key < $1.key }.map { name, family in
      "# TYPE \(name) \(family.kind)\n"
        + family.values.sorted { $0.key < $1.key }.map { family.text(name, $0, $1) }.joined()
    }.joined()
  }

  /// A value that does not exist yet begins with zero.
  fileprivate func change(_ handler: Handler, _ change: (inout Value, [Double]) -> Void) {
    families.withLock { families in
      let bounds = handler.bounds
      change(
        &families[handler.name, default: Family(kind: handler.kind, bounds: bounds)]
          .values[handler.labels, default: Value(atMost: bounds.map { _ in 0 })], bounds)
    }
  }
}

extension MetricsPage.Family {
  fileprivate func text(_ name: String, _ labels: String, _ value: MetricsPage.Value) -> String {
    func line(_ ending: String, _ more: String, _ number: String) -> String {
      let all = [labels, more].filter { !$0.isEmpty }.joined(separator: ",")
      return name + ending + (all.isEmpty ? "" : "{\(all)}") + " \(number)\n"
    }
    guard kind == .histogram else { return line("", "", "\(value.look?() ?? value.sum)") }
    return zip(bounds, value.atMost).map { line("_bucket", "le=\"\($0)\"", "\($1)") }.joined()
      + line("_bucket", "le=\"+Inf\"", "\(value.count)") + line("_sum", "", "\(value.sum)")
      + line("_count", "", "\(value.count)")
  }
}

// MARK: - Handlers

extension MetricsPage {
  private func handler(
    _ label: String, _ dimensions: [(String, String)], _ kind: Kind, _ bounds: [Double] = []
  ) -> Handler {
    func name(_ text: String) -> String { text.replacing(".", with: "_") }
    let labels = dimensions.map { "\(name($0))=\"\($1)\"" }.joined(separator: ",")
    let handler = Handler(page: self, name: name(label), labels: labels, kind: kind, bounds: bounds)
    // It is there from the start: what watches for a rise would miss the first.
    change(handler) { _, _ in }
    return handler
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    handler(label, dimensions, .counter)
  }
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    handler(label, dimensions, .gauge)
  }
  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    handler(label, dimensions, aggregate ? .histogram : .gauge, aggregate ? MetricsPage.numbers : [])
  }
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    handler(label + "_seconds", dimensions, .histogram, MetricsPage.times)
  }
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}
}

private final class Handler: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  let page: MetricsPage
  let (name, labels): (String, String)
  let kind: MetricsPage.Kind
  let bounds: [Double]

  init(page: MetricsPage, name: String, labels: String, kind: MetricsPage.Kind, bounds: [Double]) {
    (self.page, self.name, self.labels, self.kind, self.bounds) = (page, name, labels, kind, bounds)
  }

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) { page.change(self) { value, _ in value.sum += amount } }
  func decrement(by amount: Double) { increment(by: -amount) }
  func reset() { set(0.0) }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { page.change(self) { old, _ in old.sum = value } }
  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) * 1e-9) }

  func record(_ value: Double) {
    if kind != .histogram { return set(value) }
    page.change(self) { found, bounds in
      (found.sum, found.count) = (found.sum + value, found.count + 1)
      for index in bounds.indices where value <= bounds[index] { found.atMost[index] += 1 }
    }
  }
}
