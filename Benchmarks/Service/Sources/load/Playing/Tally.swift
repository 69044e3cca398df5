import Bank
import Dispatch
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
    /// When writes that were acknowledged were asked for, and when they were answered, in nanoseconds of this machine's clock,
    /// so that what several processes have noted can be compared.
    var moments: [String: Span] = [:]
    var nanoseconds: [UInt64] = []
    /// Answers by their status.
    var statuses: [Int: Int] = [:]
    var reads = 0
    var writes = 0
    var hungUp = 0
    /// The connection ended without an answer.
    var broken = 0
    /// Writes whose clients stayed, and got no answer at all, however often they asked.
    var untold = 0
    /// Reads that did not show what the same client had written before.
    var stale = 0
    /// 503 without a word on when to come again.
    var withoutRetryAfter = 0
    /// How long the slowest answer took, in nanoseconds.
    var slowest: UInt64 = 0
    /// For each second since 1970, what was acknowledged and what was answered 503.
    var seconds: [Int: Second] = [:]
  }

  struct Second: Codable, Sendable {
    var done = 0
    var refused = 0
  }

  private let state = Mutex(Counts())
  private let start = ContinuousClock.now
  private let origin = DispatchTime.now().uptimeNanoseconds

  var counts: Counts { state.withLock { $0 } }

  func counts<Value>(_ path: KeyPath<Counts, Value> & Sendable) -> Value where Value: Sendable {
    state.withLock { $0[keyPath: path] }
  }

  func note(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }

  /// Notes one answer, and how long it took.
  func answer(_ status: Int, after duration: Duration) {
    let second = Int(Date().timeIntervalSince1970)
    state.withLock { counts in
      counts.statuses[status, default: 0] += 1
      counts.slowest = max(counts.slowest, duration.nanoseconds)
      if status < 300 { counts.seconds[second, default: Second()].done += 1 }
      if status == 503 { counts.seconds[second, default: Second()].refused += 1 }
    }
  }

  /// Notes the end of a request that was made then, after all of its answers; the name is that of a write.
  func end(_ status: Int?, since begin: ContinuousClock.Instant, write: String?) {
    let (from, to) = (origin + (begin - start).nanoseconds, origin + (ContinuousClock.now - start).nanoseconds)
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

extension Tally.Counts {
  /// Adds what another process has noted on this machine.
  mutating func add(_ other: Self) {
    acknowledged += other.acknowledged
    refused += other.refused
    repeated += other.repeated
    moments.merge(other.moments) { first, _ in first }
    nanoseconds += other.nanoseconds
    statuses.merge(other.statuses, uniquingKeysWith: +)
    (reads, writes, stale) = (reads + other.reads, writes + other.writes, stale + other.stale)
    (hungUp, broken, untold) = (hungUp + other.hungUp, broken + other.broken, untold + other.untold)
    withoutRetryAfter += other.withoutRetryAfter
    slowest = max(slowest, other.slowest)
    seconds.merge(other.seconds) { Tally.Second(done: $0.done + $1.done, refused: $0.refused + $1.refused) }
  }
}

extension Duration {
  var nanoseconds: UInt64 {
    UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
  }
}
