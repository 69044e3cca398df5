import Foundation

/// The results as JSON; README.md describes the fields, and ``decode(_:)`` accepts no others.
package struct Report: Hashable, Codable, Sendable {
  package static let currentVersion = 1

  package let formatVersion: Int
  package let program: String
  package let system: String
  package let cores: Int
  package let isComplete: Bool
  package let results: [Finding]

  enum CodingKeys: String, CodingKey, CaseIterable {
    case formatVersion, program, system, cores, isComplete, results
  }

  package init(program: String, _ outcome: Outcome) {
    formatVersion = Report.currentVersion
    self.program = program
    system = ProcessInfo.processInfo.operatingSystemVersionString
    cores = ProcessInfo.processInfo.activeProcessorCount
    isComplete = outcome.unfinished == nil
    results = outcome.findings
  }

  package func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}
