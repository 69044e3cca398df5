import Bank
import Foundation
import Synchronization

/// Clients of counters that stand in an upstream.
struct UpstreamTrial: Sendable {
  struct Finding: Codable, Sendable {
    var way: String
    var requestsPerSecond: Double
    var calls: Int
    var overQuota: Int
    /// Acknowledged raises that the values do not show.
    var lostUpdates: Int
    /// Reads that did not show what had been acknowledged before they were asked for.
    var stale: Int
    /// The milliseconds for which the oldest of these had been replaced when it was asked for.
    var oldest: Double
    /// Milliseconds from asking to the answer, of half of the reads.
    var p50: Double
  }

  let title: String
  let counters: any Counters
  let upstream: Upstream

  private final class Notes: Sendable {
    struct Counts {
      var done = 0
      var raised = 0
      var stale = 0
      var oldest = Duration.zero
      var newest: [Int: Int] = [:]
      /// For each key, when each value was acknowledged first.
      var acknowledged: [Int: [Int: ContinuousClock.Instant]] = [:]
      var reads: [Double] = []
    }
    let counts = Mutex(Counts())
  }

  func run(seconds: Int, clients: Int) async -> Finding {
    let (notes, end) = (Notes(), ContinuousClock.now + .seconds(seconds))
    await withDiscardingTaskGroup { group in
      for _ in 0..<clients {
        group.addTask {
          while ContinuousClock.now < end {
            // What is refused is tried again after a moment, by most clients of most services.
            if (try? await step(notes)) == nil { try? await Task.sleep(for: .milliseconds(50)) }
          }
        }
      }
    }
    let (counts, sum) = (notes.counts.withLock { $0 }, await upstream.sum)
    let reads = counts.reads.sorted()
    return Finding(
      way: title, requestsPerSecond: Double(counts.done) / Double(seconds), calls: await upstream.calls,
      overQuota: await upstream.refusals, lostUpdates: counts.raised - sum, stale: counts.stale,
      oldest: counts.oldest / .milliseconds(1), p50: reads.isEmpty ? 0 : reads[reads.count / 2])
  }

  private func step(_ notes: Notes) async throws {
    // Three keys of twenty have eight requests of ten.
    let key = Int.random(in: 0..<10) < 8 ? Int.random(in: 0..<3) : Int.random(in: 0..<20)
    if Int.random(in: 0..<20) == 0 {
      let value = try await counters.raise(key)
      notes.counts.withLock { counts in
        counts.done += 1
        counts.raised += 1
        counts.newest[key] = max(counts.newest[key] ?? 0, value)
        if counts.acknowledged[key]?[value] == nil { counts.acknowledged[key, default: [:]][value] = .now }
      }
      return
    }
    let (known, begin) = (notes.counts.withLock { $0.newest[key] ?? 0 }, ContinuousClock.now)
    let value = try await counters.value(key)
    notes.counts.withLock { counts in
      counts.done += 1
      if value < known {
        counts.stale += 1
        let replaced = counts.acknowledged[key]?.filter { $0.key > value }.values.min()
        counts.oldest = max(counts.oldest, begin - (replaced ?? begin))
      }
      counts.reads.append((ContinuousClock.now - begin) / .milliseconds(1))
    }
  }
}
