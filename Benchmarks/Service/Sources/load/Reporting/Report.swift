import Foundation

/// The findings as JSON, and as a table.
struct Report: Codable {
  var program = "load"
  var system = ProcessInfo.processInfo.operatingSystemVersionString
  var cores = ProcessInfo.processInfo.activeProcessorCount
  var findings: [Finding]
  var upstream: [UpstreamTrial.Finding]

  init(_ findings: [Finding], upstream: [UpstreamTrial.Finding]) {
    self.findings = findings
    self.upstream = upstream
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// The findings of each promise, for those that were made.
  var groups: [(promise: Promise, findings: [Finding])] {
    Promise.allCases.map { promise in (promise, findings.filter { $0.promise == promise }) }
      .filter { !$0.findings.isEmpty }
  }
}

/// A table for a terminal.
struct Table {
  let head: [String]
  let rows: [[String]]

  init<Row>(_ rows: [Row], _ columns: [(String, @Sendable (Row) -> String)]) {
    head = columns.map(\.0)
    self.rows = rows.map { row in columns.map { $0.1(row) } }
  }

  /// With the first column as wide as given.
  func text(first: Int) -> String {
    let widths = head.indices.map { column in
      column == 0 ? first : ([head[column]] + rows.map { $0[column] }).map(\.count).max()! + 2
    }
    return ([head] + rows).map { row in
      zip(row, widths).enumerated().map { index, cell in
        let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
        return index == 0 ? cell.0 + space : space + cell.0
      }.joined()
    }.joined(separator: "\n")
  }
}

extension Report {
  private static let columns: [(String, @Sendable (Finding) -> String)] = [
    ("way", { $0.way }), ("requests/s", { "\(Int($0.requestsPerSecond))" }),
    ("longest chain", { "\($0.audit.hottest)" }), ("limit", { "\(Int($0.limit))" }),
    ("of it", { "\(Int($0.ofLimit * 100)) %" }),
    ("p50 ms", { $0.p50.oneDecimal }), ("p99", { $0.p99.oneDecimal }), ("p99.9", { $0.p999.oneDecimal }),
    ("reads saved", { "\(Int($0.saved)) %" }), ("lost updates", { "\($0.audit.lostUpdates)" }),
    ("wrong", { "\($0.audit.wrongBalances)" }), ("missing", { "\($0.audit.missing.count)" }),
    ("stale", { "\($0.stale)" }), ("503", { "\($0.refused)" }), ("hung up", { "\($0.hungUp)" }),
  ]

  private static let upstreamColumns: [(String, @Sendable (UpstreamTrial.Finding) -> String)] = [
    ("way", { $0.way }), ("requests/s", { "\(Int($0.requestsPerSecond))" }), ("p50 ms", { $0.p50.oneDecimal }),
    ("calls", { "\($0.calls)" }), ("over quota", { "\($0.overQuota)" }),
    ("lost updates", { "\($0.lostUpdates)" }), ("stale", { "\($0.stale)" }),
    ("by at most ms", { $0.oldest.oneDecimal }),
  ]

  static let upstreamTitle =
    "An upstream: 20 ms a call, no transactions, \(Upstream.quota) calls a second"

  var table: String {
    let width = (findings.map(\.way.count) + upstream.map(\.way.count)).max() ?? 0
    var parts = groups.map { "\($0.promise.rawValue)\n" + Table($0.findings, Report.columns).text(first: width) }
    if !upstream.isEmpty {
      parts.append("\(Report.upstreamTitle)\n" + Table(upstream, Report.upstreamColumns).text(first: width))
    }
    let faults = findings.flatMap { finding in finding.faults.map { "\(finding.way): \($0)" } }
    return (parts + faults).joined(separator: "\n\n")
  }
}

extension Double {
  var oneDecimal: String { String(format: "%.1f", self) }
}
