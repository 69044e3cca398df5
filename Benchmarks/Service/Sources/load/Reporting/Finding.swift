import Bank
import Foundation

/// What a way promises, so that like is compared with like.
enum Promise: String, Codable, Sendable, CaseIterable {
  case nothing = "Nothing: updates are lost"
  case balances = "Right balances; a transfer is approved for a balance that may have changed since"
  case approval = "Right balances, and each transfer is approved for the balance that it changes"
  case limits = "As above, and load is shed, or the process is killed"
}

/// What one way did under the load.
struct Finding: Codable, Sendable {
  var way: String
  var promise: Promise
  /// The requests a second at which the hottest account is being approved at every moment, one transfer after the other.
  var limit: Double
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

  /// `chain` says how many of its requests are transfers of the hottest account.
  init(
    way: String, promise: Promise, _ counts: Tally.Counts, seconds: Double, databaseReads: Int, chain: Double,
    _ audit: Audit
  ) {
    self.way = way
    self.promise = promise
    limit = chain == 0 ? 0 : 1 / (Finding.approval * chain)
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

  /// How long an approval takes, in seconds.
  private static let approval = 0.005

  /// The share of the limit that was reached.
  ///
  /// More than 1: transfers of an account were approved at the same time.
  var ofLimit: Double { limit == 0 ? 0 : requestsPerSecond / limit }

  /// Reads that were answered without asking the database, in percent.
  var saved: Double { reads == 0 ? 0 : max(0, 1 - Double(databaseReads) / Double(reads)) * 100 }

  var isRight: Bool { faults.isEmpty && (promise == .nothing || audit.isRight && stale == 0) }
}
