import Bank
import Foundation
import Synchronization

/// What clients were told, and how long it took.
final class Tally: Sendable {
  struct Counts: Codable, Sendable {
    /// The names of the writes that were acknowledged.
    var acknowledged: [String] = []
    /// Those that were answered so that nothing can have been done.
    var refused: [String] = []
    /// Writes that were asked for again under their names.
    var repeated = 0
    /// When writes that were acknowledged were asked for, and when they were answered, in nanoseconds from the beginning.
    var moments: [String: Span] = [:]
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

  /// Of one answer.
  func answer(_ status: Int) {
    let second = Int((ContinuousClock.now - start).components.seconds)
    state.withLock { counts in
      counts.statuses[status, default: 0] += 1
      if status < 300 { counts.seconds[second, default: Second()].done += 1 }
      if status == 503 { counts.seconds[second, default: Second()].refused += 1 }
    }
  }

  /// Of the end of a request that was made then, after all of its answers; the name is that of a write.
  func end(_ status: Int?, since begin: ContinuousClock.Instant, write: String?) {
    let (from, to) = ((begin - start).nanoseconds, (ContinuousClock.now - start).nanoseconds)
    state.withLock { counts in
      switch status {
      case .some(200..<300):
        counts.nanoseconds.append(to - from)
        guard let write else { return counts.reads += 1 }
        counts.writes += 1
        counts.acknowledged.append(write)
        counts.moments[write] = Span(from: from, to: to)
      case 503: if let write { counts.refused.append(write) }
      default: break
      }
    }
  }
}

extension Duration {
  var nanoseconds: UInt64 {
    UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
  }
}
