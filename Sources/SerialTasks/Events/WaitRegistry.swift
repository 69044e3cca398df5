/// A holder with its waiters, collected under a lock; named and timed after the unlock.
package struct Holding: Sendable {
  package struct Waiting: Sendable {
    let job: String?
    package let start: WaitStart
    let isOnHold: Bool

    package init(job: String?, start: WaitStart, isOnHold: Bool = false) {
      (self.job, self.start, self.isOnHold) = (job, start, isOnHold)
    }
  }

  /// May call a key's `description`.
  package internal(set) var name: @Sendable () -> String
  let isHeld: Bool
  package let job: String?
  package let place: UInt64?
  package internal(set) var since: WaitStart
  var limit: Duration?
  package var waiting: [Waiting]

  package init(
    name: @escaping @Sendable () -> String, isHeld: Bool = true, job: String? = nil, place: UInt64? = nil,
    since: WaitStart = WaitStart(), waiting: [Waiting] = []
  ) {
    (self.name, self.isHeld, self.job, self.place) = (name, isHeld, job, place)
    (self.since, self.waiting) = (since, waiting)
  }
}

package struct Holdings: Sendable {
  let kind: String
  let clock: AnyClock
  let holdings: [Holding]

  package init(kind: String, clock: AnyClock, holdings: [Holding]) {
    (self.kind, self.clock, self.holdings) = (kind, clock, holdings)
  }

  /// Reads a clock and describes keys: no lock may be held.
  var executors: [WaitReport.Executor] {
    if holdings.isEmpty { return [] }
    let now = clock.now
    return holdings.map { holding in
      let heldFor = holding.since.elapsed(at: now)
      return WaitReport.Executor(
        name: holding.name(), kind: kind, isHeld: holding.isHeld, holder: holding.job, heldFor: heldFor,
        isHeldTooLong: holding.limit.map { heldFor ?? .zero >= $0 } ?? false,
        waiting: holding.waiting.map {
          .init(name: $0.job, waited: $0.start.elapsed(at: now) ?? .zero, isDraft: $0.isOnHold)
        })
    }
  }
}

package protocol WaitSource: AnyObject, Sendable {
  func holdings() -> Holdings
}

enum WaitRegistry {
  fileprivate static let list = Lock(LinkedList<WaitRegistration>())

  static func collect() -> [Holdings] {
    let sources = list.withLock { list in
      var sources: [any WaitSource] = []
      list.forEach { if let source = $0.retainedSource() { sources.append(source) } }
      return sources
    }
    // Not under the lock: the last reference to an executor, and to the user's objects, may be released here.
    return sources.map { $0.holdings() }
  }
}

@usableFromInline
package final class WaitRegistration: Linked, @unchecked Sendable {
  // Safe because `source` is written once, before registration, and read only under the registry's lock, under which
  // its `deinit` first removes this.

  /// Not weak: an object that was ever referenced weakly is slower to retain and release, as every job does.
  fileprivate unowned(unsafe) var source: (any WaitSource)?

  @usableFromInline package override init() {}

  package func begin(_ source: any WaitSource) {
    self.source = source
    WaitRegistry.list.withLock { $0.append(self) }
  }

  /// Called first in the source's `deinit`, which waits here for a report that is reading it.
  @usableFromInline
  package func end() { WaitRegistry.list.withLock { $0.remove(self) } }

  /// Returns `nil` if the source is being released, which only a weak reference can detect; called under the
  /// registry's lock, and the result released after it.
  fileprivate func retainedSource() -> (any WaitSource)? {
    let source = source
    // Otherwise this may be the last reference, released under the lock.
    return withExtendedLifetime(source) { () -> (any WaitSource)? in
      weak var reference: (any WaitSource)?
      reference = source
      return reference
    }
  }
}
