/// A holder with its waiters, as collected under a lock.
///
/// Key names and durations are computed after the unlock.
package struct Holding: Sendable {
  package struct Waiting: Sendable {
    let job: String?
    package let start: WaitStart
    let isDraft: Bool

    package init(job: String?, start: WaitStart, isDraft: Bool = false) {
      self.job = job
      self.start = start
      self.isDraft = isDraft
    }
  }

  /// The name; may call a key's `description`.
  package var name: @Sendable () -> String
  package let isHeld: Bool
  package let job: String?
  package let place: UInt64?
  package var since: WaitStart
  /// Longer turns are too long; `nil` if there is no limit, or `since` is unknown.
  var limit: Duration?
  package var waiting: [Waiting]

  package init(
    name: @escaping @Sendable () -> String, isHeld: Bool = true, job: String? = nil, place: UInt64? = nil,
    since: WaitStart = WaitStart(), waiting: [Waiting] = []
  ) {
    self.name = name
    self.isHeld = isHeld
    self.job = job
    self.place = place
    self.since = since
    self.waiting = waiting
  }
}

package struct Holdings: Sendable {
  let kind: String
  let clock: AnyClock
  let holdings: [Holding]

  package init(kind: String, clock: AnyClock, holdings: [Holding]) {
    (self.kind, self.clock, self.holdings) = (kind, clock, holdings)
  }

  /// Read without a lock: it reads a clock and describes keys.
  var executors: [WaitReport.Executor] {
    if holdings.isEmpty { return [] }
    let now = clock.now
    return holdings.map { holding in
      let heldFor = holding.since.elapsed(at: now)
      return WaitReport.Executor(
        name: holding.name(), kind: kind, isHeld: holding.isHeld, holder: holding.job, heldFor: heldFor,
        isHeldTooLong: holding.limit.map { heldFor ?? .zero >= $0 } ?? false,
        waiting: holding.waiting.map {
          .init(name: $0.job, waited: $0.start.elapsed(at: now) ?? .zero, isDraft: $0.isDraft)
        })
    }
  }
}

package protocol WaitSource: AnyObject, Sendable {
  /// Collects the holders and waiters, under its own lock.
  func holdings() -> Holdings
}

/// All executors of the process, none of them retained.
enum WaitRegistry {
  fileprivate static let list = Lock(LinkedList<WaitRegistration>())

  static func collect() -> [Holdings] {
    let sources = list.withLock { list in
      var sources: [any WaitSource] = []
      list.forEach { if let source = $0.retainedSource() { sources.append(source) } }
      return sources
    }
    // Not under the lock: the last reference to an executor may be released here, with objects of the user.
    return sources.map { $0.holdings() }
  }
}

@usableFromInline
package final class WaitRegistration: Linked, @unchecked Sendable {
  // Safe because `source` is written once, before this is registered, and otherwise accessed only under the registry's
  // lock.

  /// Not weak: an object that was ever referenced weakly is slower to retain and release, which every job does.
  ///
  /// Safe because it is read only under the lock, under which the `deinit` of the source first removes this from the
  /// registry.
  fileprivate unowned(unsafe) var source: (any WaitSource)?

  @usableFromInline package override init() {}

  /// Registers the source; called once, when the source is complete.
  package func begin(_ source: any WaitSource) {
    self.source = source
    WaitRegistry.list.withLock { $0.append(self) }
  }

  /// Removes the source; called first in its `deinit`, which waits here for a report that is reading it.
  @usableFromInline
  package func end() { WaitRegistry.list.withLock { $0.remove(self) } }

  /// Returns the source unless it is being released, which only a weak reference can detect.
  ///
  /// Called under the lock of the registry; the result is released after it.
  fileprivate func retainedSource() -> (any WaitSource)? {
    let source = source
    // Kept until then: otherwise this reference could be the last, and be released under the lock.
    return withExtendedLifetime(source) { () -> (any WaitSource)? in
      weak var reference: (any WaitSource)?
      reference = source
      return reference
    }
  }
}
