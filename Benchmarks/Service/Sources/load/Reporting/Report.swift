import Foundation

/// The findings as JSON, as a table, and as a page.
struct Report: Codable {
  var program = "load"
  var system = ProcessInfo.processInfo.operatingSystemVersionString
  var cores = ProcessInfo.processInfo.activeProcessorCount
  var findings: [Finding]

  init(_ findings: [Finding]) { self.findings = findings }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

// MARK: - Terminal

extension Report {
  private static let columns: [(String, @Sendable (Finding) -> String)] = [
    ("requests/s", { "\(Int($0.requestsPerSecond))" }),
    ("p50 ms", { $0.p50.oneDecimal }), ("   p99", { $0.p99.oneDecimal }), ("  p99.9", { $0.p999.oneDecimal }),
    ("reads saved", { "\(Int($0.saved)) %" }),
    ("lost updates", { "\($0.audit.lostUpdates)" }),
    ("wrong balances", { "\($0.audit.wrongBalances)" }),
    ("missing", { "\($0.audit.missing.count)" }),
    ("stale reads", { "\($0.stale)" }),
    ("   503", { "\($0.refused)" }),
    ("hung up", { "\($0.hungUp)" }),
  ]

  var table: String {
    let width = findings.map(\.way.count).max() ?? 0
    let header = Report.columns.map { aligned($0.0, $0.0.count + 2) }.joined()
    let rows = findings.map { finding in
      finding.way.padding(toLength: width, withPad: " ", startingAt: 0)
        + Report.columns.map { aligned($0.1(finding), $0.0.count + 2) }.joined()
    }
    let faults = findings.flatMap { finding in finding.faults.map { "\(finding.way): \($0)" } }
    return ([String(repeating: " ", count: width) + header] + rows + faults).joined(separator: "\n")
  }

  private func aligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

// MARK: - Page

extension Report {
  /// The library's executors, each in a colour of its own however it is set up, and what they are compared with.
  private var marks: [Mark] {
    var counts: [Mark.Role: Int] = [:]
    return findings.map { finding in
      let role: Mark.Role = ["plain actor", "database only"].contains(finding.way) ? .baseline : .library
      // “… with a short line” is the one before it, set up in another way.
      if !finding.way.hasPrefix("…") { counts[role, default: 0] += 1 }
      return Mark(role: role, number: max(0, counts[role, default: 0] - 1))
    }
  }

  /// Drawn as the other benchmarks draw theirs; their files are linked here.
  var page: String {
    let charts: [(String, (Finding) -> Double, (Finding) -> String)] = [
      ("Requests a second", { $0.requestsPerSecond }, { "\(Int($0.requestsPerSecond))" }),
      ("Time of 99 of 100 requests", { $0.p99 }, { "\($0.p99.oneDecimal) ms" }),
      ("Reads of the database", { Double($0.databaseReads) }, { "\($0.databaseReads) for \($0.reads) reads" }),
      ("Lost updates", { Double($0.audit.lostUpdates) }, { "\($0.audit.lostUpdates)" }),
    ]
    let drawn = charts.map { title, value, label in
      BarChart(
        title: title,
        bars: zip(marks, findings).map { ($0, $1.way, max(value($1), 0.01), label($1)) }
      ).svg
    }
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>A service under load</title>
      <style>
      \(PageStyle.sheet)
      </style></head><body><main>
      <h1>A service under load</h1>
      <p>The same clients, and four ways to keep the order in front of one database. Machines differ: compare the bars of one
      page, not pages.</p>
      <section><div class="charts">\(drawn.joined(separator: "\n"))</div><pre>\(table.escaped)</pre></section>
      <footer>Made by load of SerialTasks.</footer>
      </main></body></html>

      """
  }
}

extension Double {
  var oneDecimal: String { String(format: "%.1f", self) }
}
