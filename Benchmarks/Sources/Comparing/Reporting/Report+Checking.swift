import Foundation

/// What is wrong with a report.
package struct ReportFault: Error, Equatable, CustomStringConvertible {
  package let description: String
}

extension Report {
  /// Reads a report, and accepts nothing in it that README.md does not describe.
  package static func decode(_ data: Data) throws -> Report {
    let json = try JSONSerialization.jsonObject(with: data)
    guard let top = json as? [String: Any] else { throw ReportFault(description: "not an object") }
    try check(top, required: CodingKeys.allCases.map(\.rawValue), optional: [], in: "the report")
    let optional = ["jobKind", "bytesPerJob", "ratio", "backendCalls"]
    for case let (index, result as [String: Any]) in (top["results"] as? [Any] ?? []).enumerated() {
      let required = Finding.CodingKeys.allCases.map(\.rawValue).filter { !optional.contains($0) }
      try check(result, required: required, optional: optional, in: "result \(index)")
      let time = result["nanosecondsPerJob"] as? [String: Any] ?? [:]
      try check(time, required: ["median", "min", "max"], optional: [], in: "the time of result \(index)")
    }
    let report = try JSONDecoder().decode(Report.self, from: data)
    try report.checkValues()
    return report
  }

  private static func check(_ object: [String: Any], required: [String], optional: [String], in place: String) throws {
    for key in required where object[key] == nil { throw ReportFault(description: "\(key) is missing in \(place)") }
    for key in object.keys.sorted() where !required.contains(key) && !optional.contains(key) {
      throw ReportFault(description: "\(key) is not a field of \(place)")
    }
  }

  private func checkValues() throws {
    if formatVersion != Report.currentVersion { throw ReportFault(description: "format \(formatVersion) is not known") }
    for (index, result) in results.enumerated() {
      let time = result.nanosecondsPerJob
      let isRight =
        !result.workload.isEmpty && !result.candidate.isEmpty && !result.floor.isEmpty && result.depth > 0
        && result.rounds > 0 && time.min > 0 && time.min <= time.median && time.median <= time.max
        && result.ratio ?? 1 > 0 && result.backendCalls ?? 0 >= 0
      if !isRight { throw ReportFault(description: "result \(index) has a value that cannot be") }
    }
  }
}
