/// The findings as text.
package struct Table {
  let outcome: Outcome
  let guide: Guide

  package init(_ outcome: Outcome, guide: Guide = Guide()) {
    self.outcome = outcome
    self.guide = guide
  }

  package var text: String {
    var lines: [String] = []
    var workload: String?
    for (series, findings) in outcome.bySeries {
      if series.workload != workload, let known = guide.workload(series.workload) {
        lines += [""] + "\(known.name.uppercased()): \(known.meaning)".lines(upTo: 120)
        lines += "To conclude: \(known.conclusion)".lines(upTo: 120)
      }
      workload = series.workload
      lines += ["", series.title]
      lines += rows(of: findings)
      lines += (outcome.absences[series] ?? []).map { "  — \($0.candidate): \($0.why)" }
      if let sentence = guide.sentence(findings) { lines.append("  » \(sentence)") }
    }
    lines += [
      "", "» is this library", "× is the ratio to the floor (·) in the same round, median of the rounds",
      "* is there to be compared with only: it keeps no order, or shares nothing",
    ]
    if let why = outcome.unfinished { lines.append("Not everything was measured: \(why).") }
    return lines.joined(separator: "\n")
  }

  private func rows(of findings: [Finding]) -> [String] {
    let width = findings.map(\.candidate.count).max()! + 6
    let hasBytes = findings.contains { $0.bytesPerJob != nil }
    let hasCalls = findings.contains { $0.backendCalls != nil }
    var lines = [
      "  " + "depth".aligned(9) + "  " + "  candidate".padded(width) + "time per job".aligned(12)
        + "min … max".aligned(24)
        + "×".aligned(8) + (hasBytes ? "bytes".aligned(12) : "") + (hasCalls ? "backend calls".aligned(15) : "")
    ]
    var depth: Int?
    for result in findings {
      let time = result.nanosecondsPerJob
      let own = guide.isLibrary(result.candidate) ? "» " : "  "
      let name =
        own + result.candidate + (result.candidate == result.floor ? " ·" : "") + (result.isBaseline ? "*" : "")
      lines.append(
        "  " + (result.depth == depth ? "" : result.depth.grouped).aligned(9) + "  " + name.padded(width)
          + time.median.asTime.aligned(12) + "\(time.min.asTime) … \(time.max.asTime)".aligned(24)
          + (result.ratio?.threeDigits ?? "—").aligned(8)
          + (hasBytes ? (result.bytesPerJob?.asBytes ?? "—").aligned(12) : "")
          + (hasCalls ? (result.backendCalls?.grouped ?? "—").aligned(15) : ""))
      depth = result.depth
    }
    return lines
  }
}
