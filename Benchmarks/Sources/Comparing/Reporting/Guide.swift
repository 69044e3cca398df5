/// What a reader must know to conclude something from the results.
package struct Guide: Sendable {
  package struct Workload: Sendable {
    let name: String
    /// What happens in it.
    let meaning: String
    /// What its figures are good for.
    let conclusion: String

    package init(_ name: String, _ meaning: String, conclusion: String) {
      self.name = name
      self.meaning = meaning
      self.conclusion = conclusion
    }
  }

  private let workloads: [Workload]
  private let library: Set<String>

  /// - Parameters:
  ///   - workloads: All of the program.
  ///   - library: The candidates that are this library.
  package init(_ workloads: [Workload] = [], library: Set<String> = []) {
    self.workloads = workloads
    self.library = library
  }

  func workload(_ name: String) -> Workload? { workloads.first { $0.name == name } }

  func isLibrary(_ candidate: String) -> Bool { library.contains(candidate) }

  /// The workloads for the help, a line each.
  package var help: String { workloads.map { "\($0.name): \($0.meaning)" }.joined(separator: "\n") }
}

extension Guide {
  /// What a series came to in this run, at its greatest depth: the library beside the floor and beside the fastest other way.
  func sentence(_ findings: [Finding]) -> String? {
    guard let depth = findings.map(\.depth).max() else { return nil }
    let last = findings.filter { $0.depth == depth }.sorted { $0.time < $1.time }
    guard
      let own = last.first(where: { isLibrary($0.candidate) && $0.candidate != $0.floor })
        ?? last.first(where: { isLibrary($0.candidate) })
    else { return nil }
    var parts = ["\(own.candidate) took \(own.time.asTime)\(own.calls)"]
    if let ratio = own.ratio, own.candidate != own.floor { parts[0] += ", \(ratio.threeDigits) × \(own.floor)" }
    let rival = last.first { !isLibrary($0.candidate) && !$0.isBaseline }
    if let rival { parts.append("the fastest other way, \(rival.candidate), \(rival.time.asTime)\(rival.calls)") }
    return "At depth \(depth.grouped), \(parts.joined(separator: "; "))."
  }
}

extension Finding {
  fileprivate var time: Double { nanosecondsPerJob.median }

  fileprivate var calls: String { backendCalls.map { " with \($0.grouped) backend calls" } ?? "" }
}
