/// Writes that have replaced each other: they have one place, one after the other, and the outcome of the newest.
///
/// ```
///   line:  … │ save 1 │ …        save 2 arrives        … │ save 2 │ …      save 1 gets the outcome of save 2
/// ```
///
/// It changes only under the lock of the line, which decides whether a write may be replaced.
@usableFromInline
final class Series: JobSeries {
  private struct Writes: Sendable {
    /// The write that has the place; `nil` once settled: otherwise each handle would keep the newest write.
    var newest: Submission?
    var replaced: [Submission] = []
    /// Until when it waits for a newer one, if it is on hold.
    var due: Duration?
    var timer: TimeLimit?
    /// Whether a newer write finds it in the table.
    var isListed = true
  }

  private let firstCame: Duration
  private let writes: Lock<Writes>

  @usableFromInline
  init(_ first: Submission, _ pause: DraftPause?, at now: Duration) {
    firstCame = now
    writes = Lock(Writes(newest: first, due: pause?.end(at: now, since: now)))
  }

  @usableFromInline var newest: Submission? { writes.withLock { $0.newest } }

  @usableFromInline var due: Duration? { writes.withLock { $0.due } }

  @usableFromInline
  func replace(_ older: Submission, by newer: Submission, _ pause: DraftPause?, at now: Duration) {
    writes.withLock {
      $0.replaced.append(older)
      $0.newest = newer
      $0.due = pause?.end(at: now, since: firstCame)
    }
  }

  @usableFromInline
  func unlist() { writes.withLock { $0.isListed = false } }

  /// Ends the series if this is the newest write; returns the replaced ones.
  func end(with newest: Submission) -> (replaced: [Submission], timer: TimeLimit?, wasListed: Bool)? {
    writes.withLock { writes in
      guard writes.newest === newest else { return nil }
      defer { writes = Writes(isListed: false) }
      return (writes.replaced, writes.timer, writes.isListed)
    }
  }
}

// MARK: - Waiting for a newer write

/// How long a write waits for a newer one that replaces it.
@usableFromInline
struct DraftPause: Sendable {
  /// The time after the newest write arrived.
  let after: Duration
  /// The longest time after the first write arrived.
  let atMost: Duration?

  @usableFromInline
  init?(after: Duration?, atMost: Duration?) {
    guard let after, after > .zero, atMost.map({ $0 > .zero }) ?? true else { return nil }
    (self.after, self.atMost) = (after.bounded, atMost?.bounded)
  }

  func end(at now: Duration, since first: Duration) -> Duration {
    min(now + after, atMost.map { first + $0 } ?? now + after)
  }
}

extension Series {
  /// Sets the timer of a draft, and ends that of the one it replaced.
  @usableFromInline
  func setTimer(at due: Duration, in line: Line) {
    let timer = line.limits.start(until: due) { [weak line, self] in
      line?.carryOut { state, effects in
        // Otherwise a newer draft has set another timer.
        if self.due == due, let draft = self.newest { state.release(draft, &effects) }
      }
    }
    let unneeded = writes.withLock { writes -> TimeLimit? in
      guard writes.due == due else { return timer }
      defer { writes.timer = timer }
      return writes.timer
    }
    unneeded?.end()
  }
}
