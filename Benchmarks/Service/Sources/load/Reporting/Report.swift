import Foundation

/// The findings as JSON, as a table, and as a page.
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

/// A table, for a terminal and for a page.
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

  var html: String {
    let cells = rows.map { row in
      "<tr>"
        + row.enumerated().map { $0 == 0 ? "<th scope=\"row\">\($1.escaped)</th>" : "<td>\($1.escaped)</td>" }.joined()
        + "</tr>"
    }
    let head = head.map { "<th scope=\"col\">\($0.escaped)</th>" }.joined()
    return """
      <div class="scroll" tabindex="0"><table><thead><tr>\(head)</tr></thead>
      <tbody>\(cells.joined(separator: "\n"))</tbody></table></div>
      """
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

// MARK: - Page

extension Report {
  /// The library's executors, each in a colour of its own however it is set up, and what they are compared with.
  private func mark(_ finding: Finding) -> Mark {
    if finding.way.contains("SerialTaskExecutor") { return Mark(role: .library, number: 0) }
    let isOwn = finding.way.contains("Executor") || finding.way.hasPrefix("…")
    return isOwn ? Mark(role: .library, number: 1) : Mark(role: .baseline, number: 0)
  }

  private func charts(_ findings: [Finding]) -> String {
    let charts: [(String, (Finding) -> Double, (Finding) -> String)] = [
      (
        "Requests a second, and their share of the limit", { $0.requestsPerSecond },
        { "\(Int($0.requestsPerSecond)), \(Int($0.ofLimit * 100)) %" }
      ),
      ("Time of 99 of 100 requests", { $0.p99 }, { "\($0.p99.oneDecimal) ms" }),
    ]
    return charts.map { title, value, label in
      BarChart(title: title, bars: findings.map { (mark($0), $0.way, max(value($0), 0.01), label($0)) }).svg
    }.joined(separator: "\n")
  }

  /// Drawn as the other benchmarks draw theirs; their files are linked here.
  var page: String {
    var sections = groups.map { group in
      """
      <section><h2>\(group.promise.rawValue.escaped)</h2><div class="charts">\(charts(group.findings))</div>
      \(Table(group.findings, Report.columns).html)</section>
      """
    }
    if !upstream.isEmpty {
      sections.append(
        """
        <section><h2>\(Report.upstreamTitle.escaped)</h2>
        \(Table(upstream, Report.upstreamColumns).html)</section>
        """)
    }
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>A service under load</title>
      <style>
      \(PageStyle.sheet)
      tbody th, thead th:first-child { text-align: left; }
      th:nth-child(2) { text-align: right; }
      thead th { white-space: normal; vertical-align: bottom; }
      th, td { padding: .15rem .45rem; }
      @media (max-width: 40rem) { tbody th { white-space: normal; min-width: 8rem; } }
      </style></head><body><main>
      <h1>A service under load</h1>
      <p>The same clients, and the ways to keep the order in front of one database, by what they promise: compare ways of one
      group. Machines differ: compare bars of one page, not pages. The longest chain is how many transfers the hottest account had;
      the limit is how many requests a second there can be if they are approved one after the other. A way that reaches more
      approves some at the same time, for balances that may have changed.</p>
      \(sections.joined(separator: "\n"))
      <footer>Made by load of SerialTasks.</footer>
      </main></body></html>

      """
  }
}

extension Double {
  var oneDecimal: String { String(format: "%.1f", self) }
}
