/// A run in numbers.
struct Tally: Hashable {
  let reads, writes, failed: Int
  /// How often the repository was asked to read.
  let backendReads: Int
  /// How many reads were answered by another’s.
  let saved: Int
  /// How many calls were made to wait for their turn.
  let waits: Int
  /// The longest of those waits.
  let longestWait: Duration

  init(_ run: Run) {
    reads = run.calls.count { $0.call.isRead }
    writes = run.calls.count - reads
    failed = run.failures.count
    backendReads = run.calls.filter(\.call.isRead).map(\.operations).reduce(0, +)
    saved = run.calls.count { $0.joined != nil && $0.operations == 0 }
    let waiting = run.calls.filter(\.hadToWait)
    waits = waiting.count
    longestWait = waiting.map(\.waited).max() ?? .zero
  }

  /// The numbers, within a line.
  var words: String {
    """
    \(Count.of(reads + writes, "call")), \(Count.of(reads, "read")) and \(Count.of(writes, "write")); \
    \(Count.of(backendReads, "backend read")), \(saved) saved; \
    \(Count.of(waits, "wait")) for a turn\(waits > 0 ? ", the longest \(Seconds.text(longestWait))" : ""); \(failed) failed
    """
  }
}
