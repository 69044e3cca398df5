import Metrics
import Synchronization

/// Keeps metrics in memory, and prints them as Prometheus reads them.
///
/// A server in production has a backend of swift-metrics in its place.
package final class MetricsPage: MetricsFactory {
  private struct Value {
    var sum = 0.0
    var count: Int?
  }

  private let values = Mutex<[String: Value]>([:])

  package init() {}

  package var text: String {
    let values = values.withLock { $0 }
    return values.sorted { $0.key < $1.key }.map { name, value in
      guard let count = value.count else { return "\(name) \(value.sum)\n" }
      return "\(Self.name(name, "_sum")) \(value.sum)\n\(Self.name(name, "_count")) \(count)\n"
    }.joined()
  }

  /// With an ending in front of the dimensions.
  private static func name(_ name: String, _ ending: String) -> String {
    guard let brace = name.firstIndex(of: "{") else { return name + ending }
    return name[..<brace] + ending + name[brace...]
  }

  fileprivate func change(_ name: String, by amount: Double, isDistribution: Bool = false) {
    values.withLock {
      $0[name, default: Value()].sum += amount
      if isDistribution { $0[name]!.count = ($0[name]!.count ?? 0) + 1 }
    }
  }

  fileprivate func set(_ name: String, to amount: Double) { values.withLock { $0[name] = Value(sum: amount) } }
}

// MARK: - Handlers

extension MetricsPage {
  private func handler(_ label: String, _ dimensions: [(String, String)], scale: Double = 1) -> Handler {
    let pairs = dimensions.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    return Handler(page: self, name: pairs.isEmpty ? label : "\(label){\(pairs)}", scale: scale)
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    handler(label, dimensions)
  }
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    handler(label, dimensions)
  }
  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    handler(label, dimensions)
  }
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    handler(label + "_seconds", dimensions, scale: 1e-9)
  }
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}
}

private final class Handler: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
  let page: MetricsPage
  let name: String
  let scale: Double

  init(page: MetricsPage, name: String, scale: Double) {
    self.page = page
    self.name = name
    self.scale = scale
  }

  func increment(by amount: Int64) { page.change(name, by: Double(amount)) }
  func reset() { page.set(name, to: 0) }
  func set(_ value: Int64) { page.set(name, to: Double(value)) }
  func set(_ value: Double) { page.set(name, to: value) }
  func increment(by amount: Double) { page.change(name, by: amount) }
  func decrement(by amount: Double) { page.change(name, by: -amount) }
  func record(_ value: Int64) { page.change(name, by: Double(value), isDistribution: true) }
  func record(_ value: Double) { page.change(name, by: value, isDistribution: true) }
  func recordNanoseconds(_ duration: Int64) { page.change(name, by: Double(duration) * scale, isDistribution: true) }
}
