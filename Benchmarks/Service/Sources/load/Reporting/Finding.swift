import Bank
import Foundation

/// What one way did under the load.
struct Finding: Codable, Sendable {
  var way: String
  /// Whether it has to be right; the others are there to be compared with.
  var mustBeRight: Bool
  var requestsPerSecond: Double
  /// Milliseconds, of the requests that were done.
  var p50: Double
  var p99: Double
  var p999: Double
  var reads: Int
  var databaseReads: Int
  var refused: Int
  var hungUp: Int
  var broken: Int
  var stale: Int
  var audit: Audit
  /// What is wrong, other than in the database.
  var faults: [String]

  init(way: String, mustBeRight: Bool, _ counts: Tally.Counts, seconds: Double, databaseReads: Int, _ audit: Audit) {
    self.way = way
    self.mustBeRight = mustBeRight
    let sorted = counts.nanoseconds.sorted()
    func part(_ share: Double) -> Double {
      sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1e6
    }
    requestsPerSecond = Double(sorted.count) / seconds
    (p50, p99, p999) = (part(0.5), part(0.99), part(0.999))
    reads = counts.reads
    self.databaseReads = databaseReads
    refused = counts.statuses[503] ?? 0
    hungUp = counts.hungUp
    broken = counts.broken
    stale = counts.stale
    self.audit = audit
    faults = []
    if counts.withoutRetryAfter > 0 { faults.append("\(counts.withoutRetryAfter) answers 503 without Retry-After") }
    for (status, count) in counts.statuses.sorted(by: { $0.key < $1.key }) {
      if ![200, 201, 404, 409, 503].contains(status) { faults.append("\(count) answers \(status)") }
    }
    if sorted.isEmpty { faults.append("nothing was done") }
  }

  /// Reads that were answered without asking the database, in percent.
  var saved: Double { reads == 0 ? 0 : max(0, 1 - Double(databaseReads) / Double(reads)) * 100 }

  var isRight: Bool { faults.isEmpty && (!mustBeRight || audit.isRight && stale == 0) }
}
