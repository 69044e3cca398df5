import Logging
import Metrics
import SerialTasksFenced
import Synchronization

/// A lease that this process keeps alive.
///
/// All places of the process in etcd belong to the lease, and vanish with it.
final class Session: Sendable {
  private struct State {
    var end: ContinuousClock.Instant
    var isOver = false
    var wasEnded = false
    var places: UInt64 = 0
    var slots = 0
    /// Slots that no request uses.
    var freeSlots: [Slot] = []
  }

  let lease: Int64
  private let client: EtcdClient
  private let observing: Observing
  private let state: Mutex<State>

  /// Who is told when the lease is lost.
  struct Observing: Sendable {
    let logger: Logger
    let metrics: any MetricsFactory
    let onEnd: @Sendable () -> Void

    /// How many leases are used: one, or none.
    var leases: Meter { Meter(label: "etcd_leases", factory: metrics) }
  }

  private init(_ client: EtcdClient, _ observing: Observing, lease: Int64, end: ContinuousClock.Instant) {
    self.client = client
    self.observing = observing
    self.lease = lease
    state = Mutex(State(end: end))
  }

  /// Makes a lease, and keeps it alive until the session is over.
  static func begin(_ client: EtcdClient, _ observing: Observing) async throws -> Session {
    // Counted from before the node was asked for it, so that it ends here before it ends there.
    let (lease, end): (Int64, ContinuousClock.Instant)
    do { (lease, end) = try await client.grantLease(within: client.limits.patience) } catch {
      observing.logger.warning("there is no lease, and so no access to any key", metadata: ["error": "\(error)"])
      throw error
    }
    let session = Session(client, observing, lease: lease, end: end)
    observing.leases.increment()
    let interval = session.remaining / 3
    // Ends with the last reference to the session, too: then its places are not needed.
    Task.detached(priority: .high) { [weak session] in
      while let left = session?.remaining, left > .zero {
        try? await Task.sleep(for: min(interval, left))
        await session?.renew()
      }
      session?.end()
    }
    return session
  }
}

// MARK: - Whether it is valid

extension Session: Equatable {
  static func == (one: Session, other: Session) -> Bool { one === other }

  /// How long it is valid for certain, if it is not renewed.
  var remaining: Duration {
    state.withLock { $0.isOver ? .zero : max(.zero, $0.end - .now) }
  }

  var isOver: Bool { remaining == .zero }

  func check(_ number: UInt64) throws {
    if isOver { throw AccessError.lost(number: number, reason: "the lease of this process is over") }
  }

  /// A new place, which no other caller has.
  func newPlace(under prefix: String) -> Place {
    let number = state.withLock {
      $0.places += 1
      return $0.places
    }
    return Place(number, of: lease, under: prefix)
  }

  func takeSlot() -> Slot {
    state.withLock { state in
      if let slot = state.freeSlots.popLast() { return slot }
      state.slots += 1
      return Slot(state.slots, of: lease, in: client.places)
    }
  }

  func returnSlot(_ slot: Slot) { state.withLock { $0.freeSlots.append(slot) } }
}

// MARK: - Keeping it alive

extension Session {
  /// Renews the lease; what fails is tried again until the lease is over.
  private func renew() async {
    while case let left = remaining, left > .zero {
      do {
        guard let newEnd = try await client.renewLease(lease, within: left) else { return end() }
        return state.withLock { $0.end = max($0.end, newEnd) }
      } catch EtcdError.ended {
        return endOnPurpose()
      } catch {
        if (error as? EtcdError)?.isLeaseNotFound == true { return end() }
        observing.logger.warning("the lease was not renewed", metadata: ["error": "\(error)"])
        try? await Task.sleep(for: min(.milliseconds(100), remaining))
      }
    }
  }

  /// Makes nothing here rely on it from now on.
  ///
  /// etcd may keep it a little longer, after an election. Then the places of this process would be in its own way: so it is
  /// revoked there, too, if that is possible.
  func end() {
    let isLost = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver && !state.wasEnded
    }
    guard isLost else { return }
    observing.leases.decrement()
    Counter(label: "etcd_leases_lost", factory: observing.metrics).increment()
    observing.logger.warning(
      "the lease of this process is lost, and with it access to all keys",
      metadata: ["lease": "\(lease.name)"])
    observing.onEnd()
    Task { [client, lease] in try? await client.revokeLease(lease, within: .seconds(30)) }
  }

  /// Ends it on purpose, so that others need not wait until it is over.
  func revoke() async {
    endOnPurpose()
    try? await client.revokeLease(lease, within: client.limits.attempt)
  }

  private func endOnPurpose() {
    let wasOver = state.withLock { state in
      defer { (state.wasEnded, state.isOver) = (true, true) }
      return state.isOver
    }
    if !wasOver { observing.leases.decrement() }
  }
}

// MARK: - What is not wanted any more

extension Session {
  /// Makes sure that a place is not there and will not be, behind the caller's back.
  func settle(_ place: Place, _ slot: Slot) {
    Task {
      // What cannot be settled ends with the lease: the request may have been executed all the same.
      guard let revision = await insist("settle", place.settling(slot)) else { return end() }
      var slot = slot
      slot.revision = revision
      returnSlot(slot)
    }
  }

  /// Deletes a place; what is not answered at once is asked again behind the caller's back.
  func release(_ place: Place) async {
    if (try? await client.transact("release", place.releasing, within: client.limits.attempt)) != nil { return }
    Task {
      // What cannot be deleted ends with the lease.
      if await insist("release", place.releasing) == nil { end() }
    }
  }

  /// Asks until there is an answer, the lease is over, or it was refused for longer than its validity; returns the revision.
  private func insist(_ call: String, _ request: Etcdserverpb_TxnRequest) async -> Int64? {
    let limits = client.limits
    var pause = Duration.milliseconds(100)
    while !isOver {
      do {
        return try await client.transact(call, request, within: limits.patience).answer.header.revision
      } catch EtcdError.ended {
        endOnPurpose()
      } catch {
        let error = error as? EtcdError
        if error?.isLeaseNotFound == true { end() }
        if case .refused = error, pause >= limits.validity {
          observing.logger.warning("etcd refuses", metadata: ["error": "\(error!)"])
          return nil
        }
      }
      try? await Task.sleep(for: min(pause, remaining))
      pause = min(pause * 2, limits.validity)
    }
    return nil
  }
}
