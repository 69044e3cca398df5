import Logging
import Metrics
import SerialTasks
import SerialTasksFenced
import Synchronization

/// Access to keys for several machines, granted by an etcd cluster.
///
/// Each call puts a place under the key, which belongs to the lease of this process, and waits until the places before it are
/// gone: first come, first served, by the revision of the place's creation. That revision is the fence. If the process is
/// killed or paused, its lease ends after a while, and all of its places vanish.
///
/// However many keys wait, there is one connection for places and watches, and one for the lease.
package struct EtcdAccess: ExclusiveAccess {
  private let client: EtcdClient
  private let sessions: Sessions
  private let watcher: Watcher
  private let base: UInt64

  /// Asks for nothing yet.
  ///
  /// - Parameters:
  ///   - client: The cluster.
  ///   - base: What is added to each revision, for a cluster whose revisions have begun again; see ``newestNumber()``. At most
  ///     2^62.
  ///   - logger: Is told when the lease is lost, or there is none to be had.
  package init(
    _ client: EtcdClient, numbersBeginAt base: UInt64 = 0, logger: Logger = Logger(label: "etcd")
  ) {
    precondition(base <= 1 << 62, "no store can keep the sums")
    self.client = client
    self.base = base
    let watcher = Watcher(client)
    self.watcher = watcher
    // Those that wait find out that their places are gone.
    let observing = Session.Observing(logger: logger, metrics: client.metrics, onEnd: { watcher.wakeAll() })
    sessions = Sessions { try await Session.begin(client, observing) }
  }

  package nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let asked = ContinuousClock.now
    let taken = try await wait(for: key)
    Timer(label: "etcd_grant", factory: client.metrics).recordSeconds(asked.duration(to: .now) / .seconds(1))
    let number = base + UInt64(taken.revision)
    let result: Result<Void, any Error>
    do {
      result = .success(try await Fence.lend(number: number, check: { try taken.session.check(number) }, to: turn))
    } catch { result = .failure(error) }
    // In a task of its own, so that it is released also if this one was cancelled.
    await Task { await taken.session.release(taken.place) }.value
    try result.get()
  }

  /// Returns when another process has put a place after this one, or when that is not known any more.
  package nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
    let next = Int64(fence.number - base) + 1
    if case .refused(let message) = try await watcher.put(under: client.places.prefix(of: key), from: next) {
      throw EtcdError.refused(call: "watch", message: message)
    }
  }

  /// Gives everything back at once, at the end of the process; later calls throw ``EtcdError/ended``.
  package func end() async { await sessions.end() }

  /// The newest number that the cluster may have granted.
  ///
  /// A store that has seen a higher one has not met a late write: the cluster's revisions have begun again, because it was made
  /// anew or restored from a backup. Then stop all replicas, and start them with `numbersBeginAt:` at or above the highest number
  /// in the store.
  package func newestNumber() async throws -> UInt64 { base + UInt64(try await client.revision()) }

  /// How many calls wait for another process.
  package var waiting: Int { watcher.count }
}

// MARK: - Taking a place

/// A place that was put.
private struct Taken: Sendable {
  let place: Place
  let session: Session
  /// Of its creation.
  let revision: Int64
  /// What was before it, if it was looked.
  let before: Before?
}

/// The places before one: the nearest, and whether that is the only one.
private struct Before: Sendable {
  let nearest: String?
  let isOnly: Bool
  /// When that was so.
  let revision: Int64

  init(_ found: some Collection<Etcdserverpb_KeyValue>, _ revision: Int64) {
    nearest = found.first.map { String(decoding: $0.key, as: UTF8.self) }
    isOnly = found.count == 1
    self.revision = revision
  }
}

extension EtcdAccess {
  /// Takes a place, and waits until it is the first; tries again once if the lease has ended meanwhile.
  private nonisolated(nonsending) func wait(for key: String) async throws -> Taken {
    var isFirstTry = true
    while true {
      let taken = try await take(client.places.prefix(of: key))
      do {
        try await waitUntilFirst(taken)
        return taken
      } catch {
        // Not waited for: a caller that was cancelled leaves at once.
        Task { await taken.session.release(taken.place) }
        guard isFirstTry, error as? EtcdError == .leaseEnded else { throw error }
        isFirstTry = false
      }
    }
  }

  /// Takes a place; a caller that is cancelled leaves at once, and the place is released when it is there.
  private nonisolated(nonsending) func take(_ prefix: String) async throws -> Taken {
    // Not cancelled half way: nothing could tell whether the place was taken.
    let taking = SerialTaskExecutor().submit { try await taken(prefix) }
    do { return try await taking.value } catch {
      if Task.isCancelled {
        taking.whenComplete { result in
          if case .success(let taken) = result { Task { await taken.session.release(taken.place) } }
        }
      }
      throw error
    }
  }

  private func taken(_ prefix: String) async throws -> Taken {
    let session = try await sessions.current()
    do { return try await taken(prefix, session) } catch let error as EtcdError {
      guard error == .leaseEnded || error.isLeaseNotFound else { throw error }
      // etcd knew first.
      session.end()
      return try await taken(prefix, try await sessions.current())
    }
  }

  private func taken(_ prefix: String, _ session: Session) async throws -> Taken {
    let (place, end) = (session.newPlace(under: prefix), ContinuousClock.now + client.limits.patience)
    var slot = session.takeSlot()
    while true {
      let answer: Etcdserverpb_TxnResponse
      do {
        answer = try await client.transact("take", place.taking(slot), within: max(.zero, end - .now)).answer
      } catch {
        if (error as? EtcdError)?.isUndone == true {
          session.returnSlot(slot)
        } else {
          // It may have been put, or be put later.
          session.settle(place, slot)
        }
        throw error
      }
      let found = answer.responses.map(\.responseRange.kvs)
      if answer.succeeded {
        // Whatever else was sent for it finds another slot than it demands.
        slot.revision = answer.header.revision
        session.returnSlot(slot)
        let before = Before(found[2].dropFirst(), slot.revision)
        return Taken(place: place, session: session, revision: slot.revision, before: before)
      }
      slot.revision = found[1].first?.modRevision ?? 0
      if let own = found[0].first {
        // It was put by an earlier request, whose answer was lost.
        session.returnSlot(slot)
        return Taken(place: place, session: session, revision: own.createRevision, before: nil)
      }
      // What settled an earlier request came late.
      if ContinuousClock.now > end {
        session.returnSlot(slot)
        throw EtcdError.unavailable(call: "take", last: "its slot was changed")
      }
    }
  }
}

// MARK: - Waiting and releasing

extension EtcdAccess {
  private func waitUntilFirst(_ taken: Taken) async throws {
    var before = taken.before
    while true {
      try Task.checkCancellation()
      if taken.session.isOver { throw EtcdError.leaseEnded }
      let found: Before
      if let known = before { found = known } else { found = try await look(taken) }
      guard let nearest = found.nearest else { return }
      // From when it was seen, and not from the next revision: etcd forgets a deletion that is compacted at its own revision,
      // and does not say so to a watch that begins there (before 3.5.18).
      switch try await watcher.deletion(of: nearest, from: found.revision, under: taken.session) {
      case .happened where found.isOnly:
        if taken.session.isOver { throw EtcdError.leaseEnded }
        return
      case .happened, .lookAgain: before = nil
      case .refused(let message): throw EtcdError.refused(call: "watch", message: message)
      }
    }
  }

  private func look(_ taken: Taken) async throws -> Before {
    let request = taken.place.looking(taken.revision)
    let answer = try await client.transact("look", request, within: client.limits.patience).answer
    let found = answer.responses.map(\.responseRange.kvs)
    if found[1].isEmpty {
      taken.session.end()
      throw EtcdError.leaseEnded
    }
    return Before(found[0], answer.header.revision)
  }
}

extension EtcdAccess {
  /// Makes the holder of the key lose it, as if it had been paused for too long; for tests.
  package func expireHolder(of key: String) async throws {
    let prefix = client.places.prefix(of: key)
    let found = try await client.range(
      .with {
        ($0.key, $0.rangeEnd, $0.limit) = (prefix.bytes, prefix.afterPrefix.bytes, 1)
        ($0.sortOrder, $0.sortTarget) = (.ascend, .create)
      })
    guard let lease = found.kvs.first?.lease else { return }
    try await client.revokeLease(lease, within: client.limits.patience)
  }
}

extension EtcdClient {
  /// How many places a key has; for tests.
  package func places(of key: String) async throws -> Int { try await count(places.prefix(of: key)) }

  /// How many slots all processes have; for tests.
  package func slots() async throws -> Int { try await count(places.slots) }

  private func count(_ prefix: String) async throws -> Int {
    let found = try await range(
      .with { ($0.key, $0.rangeEnd, $0.countOnly) = (prefix.bytes, prefix.afterPrefix.bytes, true) })
    return Int(found.count)
  }
}
