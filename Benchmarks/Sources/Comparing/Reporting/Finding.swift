/// What was found out about one candidate in one setting; README.md describes its fields.
package struct Finding: Hashable, Codable, Sendable {
  package let workload: String
  package let candidate: String
  package let isBaseline: Bool
  package let depth: Int
  package let context: Context
  package let jobKind: String?
  package let rounds: Int
  package let nanosecondsPerJob: Summary
  package let bytesPerJob: Double?
  package let floor: String
  package let ratio: Double?
  package let backendCalls: Int?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case workload, candidate, isBaseline, depth, context, jobKind, rounds, nanosecondsPerJob, bytesPerJob, floor, ratio
    case backendCalls
  }

  var setting: Setting { Setting(workload: workload, jobKind: jobKind, context: context, depth: depth) }
}

extension Finding {
  static func all(of standings: [Standing], in contest: Contest) -> [Finding] {
    let floor = standings.first { $0.entry.candidate == contest.floor }
    return standings.compactMap { Finding($0, floor: floor, in: contest) }
  }

  private init?(_ standing: Standing, floor: Standing?, in contest: Contest) {
    let counted = standing.samples.dropFirst(standing.firstThatCounts)
    guard !counted.isEmpty else { return nil }
    let setting = contest.setting
    // The ratio of each round; machines drift, rounds do not.
    let ratios = counted.indices.compactMap { round -> Double? in
      guard let floor, floor.samples.indices.contains(round) else { return nil }
      return counted[round].nanosecondsPerJob / floor.samples[round].nanosecondsPerJob
    }
    self.init(
      workload: setting.workload, candidate: standing.entry.candidate, isBaseline: standing.entry.isBaseline,
      depth: setting.depth, context: setting.context, jobKind: setting.jobKind, rounds: counted.count,
      nanosecondsPerJob: Summary(counted.map(\.nanosecondsPerJob)), bytesPerJob: standing.bytes, floor: contest.floor,
      ratio: ratios.isEmpty ? floor.flatMap { Finding.ratio(counted, $0) } : Summary(ratios).median,
      backendCalls: counted.compactMap(\.backendCalls).sorted().dropFirst(counted.count / 2).first)
  }
}

extension Finding {
  /// The ratio of the medians, where there is no round that counts for both: one of them was too slow to have more than its first.
  private static func ratio(_ counted: ArraySlice<Sample>, _ floor: Standing) -> Double? {
    let others = floor.samples.dropFirst(floor.firstThatCounts)
    if others.isEmpty { return nil }
    return Summary(counted.map(\.nanosecondsPerJob)).median / Summary(others.map(\.nanosecondsPerJob)).median
  }
}

/// What a run found, and what it did not get to.
package struct Outcome: Sendable {
  package let findings: [Finding]
  package let absences: [Setting: [Absence]]
  /// Why the run ended early, if it did.
  package let unfinished: String?

  /// The findings in the order of their charts.
  var bySeries: [(series: Setting, findings: [Finding])] {
    var order: [Setting] = []
    for result in findings where !order.contains(result.setting.series) { order.append(result.setting.series) }
    return order.map { series in (series, findings.filter { $0.setting.series == series }) }
  }
}
