/// The figures behind a chart, for those who want to read them.
struct PageTable {
  let title: String
  let findings: [Finding]

  var html: String {
    let rows = findings.map { finding in
      let time = finding.nanosecondsPerJob
      return """
        <tr><td>\(finding.depth.grouped)</td><th scope="row">\(finding.candidate.escaped)</th><td>\(time.median.asTime)</td>\
        <td>\(time.min.asTime) … \(time.max.asTime)</td><td>\(finding.ratio?.threeDigits ?? "—")</td>\
        <td>\(finding.bytesPerJob?.asBytes ?? "—")</td><td>\(finding.backendCalls?.grouped ?? "—")</td></tr>
        """
    }
    return """
      <details><summary>Figures: \(title.escaped)</summary><div class="scroll"><table><thead><tr><th>depth</th>\
      <th>candidate</th><th>median</th><th>min … max</th><th>× \(findings[0].floor.escaped)</th><th>bytes</th>\
      <th>backend calls</th></tr></thead><tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div></details>
      """
  }
}
