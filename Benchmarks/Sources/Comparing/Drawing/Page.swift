/// The results as a page that needs nothing else.
package struct Page {
  let title: String
  let program: String
  let guide: Guide
  let outcome: Outcome
  private let marks: [String: Mark]

  package init(title: String, program: String, guide: Guide, outcome: Outcome) {
    self.title = title
    self.program = program
    self.guide = guide
    self.outcome = outcome
    var marks: [String: Mark] = [:]
    var counts: [Mark.Role: Int] = [:]
    for finding in outcome.findings where marks[finding.candidate] == nil {
      let role: Mark.Role =
        guide.isLibrary(finding.candidate) ? .library : finding.isBaseline ? .baseline : .other
      marks[finding.candidate] = Mark(role: role, number: counts[role, default: 0])
      counts[role, default: 0] += 1
    }
    self.marks = marks
  }

  package var text: String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>\(title.escaped)</title>
    <style>
    \(PageStyle.sheet)
    </style></head><body><main>
    <h1>\(title.escaped)</h1>
    <p>This library, SerialTasks, is drawn with <b>thick lines</b>. Thin lines are other ways to do the same, and dashed
    lines do less: they keep no order or share nothing, and show what a task alone costs. Lower is better. Where there
    are lines, both scales are logarithmic: look at the numbers. Each mark is the median of the rounds, each upright
    line reaches from the fastest round to the slowest. Candidates took turns in each round. Machines differ: compare
    the lines of one page, not pages.</p>
    \(outcome.unfinished.map { "<p class=\"unfinished\">Not everything was measured: \($0.escaped).</p>" } ?? "")
    \(workloads.map(section).joined(separator: "\n"))
    <footer>Made by \(program.escaped) of SerialTasks.</footer>
    </main></body></html>

    """
  }

  private var workloads: [String] {
    var all: [String] = []
    for finding in outcome.findings where !all.contains(finding.workload) { all.append(finding.workload) }
    return all
  }

  private func section(of workload: String) -> String {
    let series = outcome.bySeries.filter { $0.series.workload == workload }
    let absences = series.flatMap { outcome.absences[$0.series] ?? [] }
    let names = absences.reduce(into: [Absence]()) { all, next in if !all.contains(next) { all.append(next) } }
    return """
      <section><h2>\(workload.escaped)</h2>
      \(explanation(of: workload))
      \(legend(series.flatMap(\.findings)))
      <div class="charts">\(series.flatMap { charts($0.series, $0.findings) }.joined(separator: "\n"))</div>
      <ul class="found">\(series.compactMap(found).joined())</ul>
      \(names.map { "<p class=\"absent\">\($0.candidate.escaped): \($0.why.escaped)</p>" }.joined(separator: "\n"))
      \(series.map { PageTable(title: title(of: $0.series), findings: $0.findings).html }.joined(separator: "\n"))
      </section>
      """
  }

  private func explanation(of workload: String) -> String {
    guard let workload = guide.workload(workload) else { return "" }
    return """
      <p>\(workload.meaning.escaped)</p>
      <p><b>To conclude:</b> \(workload.conclusion.escaped)</p>
      """
  }

  private func legend(_ findings: [Finding]) -> String {
    var seen: Set<String> = []
    // The fastest at the greatest depth first, as the lines end.
    let ended = findings.sorted { ($1.depth, $0.nanosecondsPerJob.median) < ($0.depth, $1.nanosecondsPerJob.median) }
    let items = ended.filter { seen.insert($0.candidate).inserted }.map { finding in
      let mark = marks[finding.candidate]!
      let note = finding.isBaseline ? " <i>for comparison</i>" : ""
      return "<li class=\"\(mark.colour)\"><svg viewBox=\"0 0 28 14\"><polyline points=\"0,7 28,7\"/>"
        + "\(mark.shape(14, 7))</svg>\(finding.candidate.escaped)\(note)</li>"
    }
    return "<ul class=\"legend\">\(items.joined())</ul>"
  }

  private func found(_ series: Setting, _ findings: [Finding]) -> String? {
    guide.sentence(findings).map { "<li>\(title(of: series).capitalizedFirst.escaped): \($0.escaped)</li>" }
  }

  private func title(of series: Setting) -> String {
    let context = series.context == .pool ? "from the pool" : "from the main actor"
    return [series.jobKind.map { $0.hasPrefix("backend") ? $0 : "jobs: \($0)" }, context].compactMap(\.self)
      .joined(separator: ", ")
  }
}

// MARK: - Charts

extension Page {
  private func charts(_ series: Setting, _ findings: [Finding]) -> [String] {
    let time = "Time per job, \(title(of: series))"
    guard Set(findings.map(\.depth)).count > 1 else {
      return [
        BarChart(
          title: time,
          bars: findings.sorted { $0.nanosecondsPerJob.median < $1.nanosecondsPerJob.median }.map { finding in
            let time = finding.nanosecondsPerJob.median
            let calls = finding.backendCalls.map { ", \($0.grouped) backend calls" } ?? ""
            return (marks[finding.candidate]!, finding.candidate, time, time.asTime + calls)
          }
        ).svg
      ]
    }
    let times = lines(findings) { finding in
      let time = finding.nanosecondsPerJob
      return .init(depth: finding.depth, value: time.median, spread: time.min...time.max)
    }
    let weighed = lines(findings) { finding in
      finding.bytesPerJob.map { .init(depth: finding.depth, value: $0, spread: nil) }
    }
    let charts = [LineChart(title: time, label: \.asTick, lines: times)]
    let bytes = LineChart(title: "Bytes per waiting job, \(title(of: series))", label: \.asByteTick, lines: weighed)
    return (charts + (weighed.contains { $0.points.count > 1 } ? [bytes] : [])).map(\.svg)
  }

  private func lines(
    _ findings: [Finding], _ point: (Finding) -> LineChart.Point?
  ) -> [(mark: Mark, name: String, points: [LineChart.Point])] {
    var order: [String] = []
    for finding in findings where !order.contains(finding.candidate) { order.append(finding.candidate) }
    return order.map { name in (marks[name]!, name, findings.filter { $0.candidate == name }.compactMap(point)) }
  }
}

extension Double {
  fileprivate var asTick: String {
    switch self {
    case ..<999: "\(Int(rounded())) ns"
    case ..<999e3: "\(Int((self / 1e3).rounded())) µs"
    case ..<999e6: "\(Int((self / 1e6).rounded())) ms"
    default: "\(Int((self / 1e9).rounded())) s"
    }
  }

  fileprivate var asByteTick: String {
    switch self {
    case ..<999: "\(Int(rounded())) B"
    case ..<999e3: "\(Int((self / 1e3).rounded())) kB"
    default: "\(Int((self / 1e6).rounded())) MB"
    }
  }
}
