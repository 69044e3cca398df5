import SerialTasksTesting
import Synchronization

/// Writes of an act: when they were asked for, began and ended, and what they wrote.
final class WriteLog: Sendable {
  struct Entry: Sendable {
    let label: String
    let asked: Duration
    var began: Duration?
    var ended: Duration?
  }

  private let stopwatch = Stopwatch()
  private let written = Mutex<[Entry]>([])

  /// In the order in which they were asked for.
  var entries: [Entry] { written.withLock { $0 } }

  /// A write is about to be asked for.
  ///
  /// - Returns: Its number, from 0.
  func ask(_ label: String) -> Int {
    let now = stopwatch.time
    return written.withLock { written in
      written.append(Entry(label: label, asked: now))
      return written.count - 1
    }
  }

  /// The write runs: it takes its time, but does not end before the gate is open.
  func run(_ number: Int, taking time: Duration, notBefore gate: Gate) async {
    let now = stopwatch.time
    written.withLock { $0[number].began = now }
    // The demonstration is never cancelled, so it cannot throw.
    try? await Task.sleep(for: time)
    await gate.pass()
    let end = stopwatch.time
    written.withLock { $0[number].ended = end }
  }
}

extension Timeline {
  /// A row for each write; one that never ran waited until the next was asked for, which took its place.
  init(_ entries: [WriteLog.Entry]) {
    rows = entries.enumerated().map { index, entry in
      let next = index + 1 < entries.count ? entries[index + 1].asked : entry.asked
      return Row(
        number: String(index + 1), label: entry.label, waiting: .turn, running: entry.began == nil ? nil : .write,
        standing: entry.began == nil ? .noted("replaced") : .fine, asked: Seconds.of(entry.asked),
        started: Seconds.of(entry.began ?? next), finished: Seconds.of(entry.ended ?? next),
        details: "\(index + 1). \(entry.label)")
    }
    subject = "Write"
  }
}
