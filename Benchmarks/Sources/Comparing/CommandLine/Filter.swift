import ArgumentParser
import Foundation

extension [Contest] {
  /// Only what the filter names: whole workloads, or candidates together with the floor they are compared with.
  func matching(_ filter: String?) throws -> [Contest] {
    guard let filter else { return self }
    func matches(_ name: String) -> Bool { name.range(of: filter, options: .caseInsensitive) != nil }
    let found = compactMap { contest -> Contest? in
      if matches(contest.setting.workload) { return contest }
      guard contest.entries.contains(where: { matches($0.candidate) }) else { return nil }
      var contest = contest
      contest.entries.removeAll { !matches($0.candidate) && $0.candidate != contest.floor }
      contest.absent.removeAll { !matches($0.candidate) }
      return contest
    }
    guard found.isEmpty else { return found }
    let workloads = names(map(\.setting.workload)), candidates = names(flatMap(\.entries).map(\.candidate))
    throw ValidationError("nothing matches “\(filter)”; workloads: \(workloads); candidates: \(candidates)")
  }

  private func names(_ all: [String]) -> String {
    var unique: [String] = []
    for name in all where !unique.contains(name) { unique.append(name) }
    return unique.joined(separator: ", ")
  }
}
