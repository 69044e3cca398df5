/// What was found to have a holder or waiters, as taken out under a lock.
///
/// Nothing foreign is called to make one: names of keys and durations are made of it after the unlock.
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

  /// What it is called; may call a key's `description`.
  package var name: @Sendable () -> String
  package let isHeld: Bool
  package let job: String?
  package let place: UInt64?
  package var since: WaitStart
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

/// All that was found of one executor.
package struct Holdings: Sendable {
  let kind: WaitReport.Executor.Kind
  let clock: AnyClock
  let holdings: [Holding]

  package init(kind: WaitReport.Executor.Kind, clock: AnyClock, holdings: [Holding]) {
    (self.kind, self.clock, self.holdings) = (kind, clock, holdings)
  }

  /// To be asked when no lock is held: it reads a clock and describes keys.
  var executors: [WaitReport.Executor] {
    if holdings.isEmpty { return [] }
    let now = clock.now
    return holdings.map { holding in
      WaitReport.Executor(
        name: holding.name(), kind: kind, isHeld: holding.isHeld, holder: holding.job,
        heldFor: holding.since.elapsed(at: now),
        waiting: holding.waiting.map {
          .init(name: $0.job, waited: $0.start.elapsed(at: now) ?? .zero, isDraft: $0.isDraft)
        })
    }
  }
}

/// What can be in a ``WaitReport``.
package protocol WaitSource: AnyObject, Sendable {
  /// Takes out who holds and who waits, under its own lock.
  func holdings() -> Holdings
}

/// All executors of the process that there are; it keeps none alive.
enum WaitRegistry {
  fileprivate static let list = Lock(LinkedList<WaitRegistration>())

  static func collect() -> [Holdings] {
    let sources = list.withLock { list in
      var sources: [any WaitSource] = []
      list.forEach { if let source = $0.retainedSource() { sources.append(source) } }
      return sources
    }
    // Not under the lock: the last reference to an executor may end here, and with it what a user gave it.
    return sources.map { $0.holdings() }
  }
}

/// The place of one executor in the registry; made with it, and begun and ended by it.
@usableFromInline
package final class WaitRegistration: Linked, @unchecked Sendable {
  // Safe because `source` is written once, before this is in the registry, and else reached only under the lock of that.

  /// Not held, and not weakly: what was ever referred to weakly is slower to retain and release, and every job does that.
  ///
  /// Safe because it is read only under the lock, and the `deinit` of the source takes this out of the registry, under the
  /// lock, before anything of the source is gone.
  fileprivate unowned(unsafe) var source: (any WaitSource)?

  @usableFromInline package override init() {}

  /// Registers the source; to be called once, when it is there as a whole.
  package func begin(_ source: any WaitSource) {
    self.source = source
    WaitRegistry.list.withLock { $0.append(self) }
  }

  /// Takes the source out; to be called first of all in its `deinit`, which waits here for a report that looks at it.
  @usableFromInline
  package func end() { WaitRegistry.list.withLock { $0.remove(self) } }

  /// Returns the source, unless it is just being released; to be called under the lock of the registry, and released after it.
  ///
  /// Only a weak reference knows, so one is made for as long as the report asks.
  fileprivate func retainedSource() -> (any WaitSource)? {
    let source = source
    // For so long, or this reference could be the last, and end under the lock.
    return withExtendedLifetime(source) { () -> (any WaitSource)? in
      weak var reference: (any WaitSource)?
      reference = source
      return reference
    }
  }
}
