import Foundation
import Synchronization

/// What clients were told, and how long it took.
final class Tally: Sendable {
  struct Counts: Codable, Sendable {
    /// The names of the writes that were acknowledged.
    var acknowledged: [String] = []
    /// Those that were answered so that nothing can have been done.
    var refused: [String] = []
    var nanoseconds: [UInt64] = []
    /// Answers by their status.
    var statuses: [Int: Int] = [:]
    var reads = 0
    var writes = 0
    var hungUp = 0
    /// The connection ended without an answer.
    var broken = 0
    /// Reads that did not show what the same client had written before.
    var stale = 0
    /// 503 without a word on when to come again.
    var withoutRetryAfter = 0
    /// For each second from the beginning, what was acknowledged and what was answered 503.
    var seconds: [Int: Second] = [:]
  }

  struct Second: Codable, Sendable {
    var done = 0
    var refused = 0
  }

  private let state = Mutex(Counts())
  let start = ContinuousClock.now

  var counts: Counts { state.withLock { $0 } }

  func counts<Value>(_ path: KeyPath<Counts, Value> & Sendable) -> Value where Value: Sendable {
    state.withLock { $0[keyPath: path] }
  }

  func note(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }

  /// Of an answer to a request that was made then; the name is that of a write.
  func answer(_ status: Int, since begin: ContinuousClock.Instant, write: String? = nil) {
    let now = ContinuousClock.now
    let took = (now - begin).components
    state.withLock { counts in
      counts.statuses[status, default: 0] += 1
      let second = Int((now - start).components.seconds)
      switch status {
      case 200..<300:
        counts.nanoseconds.append(UInt64(took.seconds) * 1_000_000_000 + UInt64(took.attoseconds / 1_000_000_000))
        if let write { counts.acknowledged.append(write) } else { counts.reads += 1 }
        if write != nil { counts.writes += 1 }
        counts.seconds[second, default: Second()].done += 1
      case 503:
        if let write { counts.refused.append(write) }
        counts.seconds[second, default: Second()].refused += 1
      default: break
      }
    }
  }
}
