import SerialTasks
import SerialTasksFenced

/// Access to keys for several machines, granted by an etcd cluster.
///
/// Each call puts a place under the key, which belongs to the lease of this process, and waits until the places before it are
/// gone: first come, first served, by the revision of the place's creation. That revision is the fence. If the process is
/// killed or paused, its lease ends after a while, and all of its places vanish.
package struct EtcdAccess: ExclusiveAccess {
  private let client: EtcdClient
  private let sessions: RenewingValue<Session>
  private let patience: Duration

  /// Asks for nothing yet.
  ///
  /// - Parameters:
  ///   - client: The cluster.
  ///   - validity: How long etcd keeps the places of a process that it does not hear from, in whole seconds.
  ///   - patience: How long a call goes on asking a cluster that does not answer.
  package init(_ client: EtcdClient, validity: Duration = .seconds(5), patience: Duration = .seconds(2)) {
    self.client = client
    self.patience = patience
    // One for all calls; a new one, asked for once, when the old one is over.
    sessions = RenewingValue(name: "lease") { _ in
      Renewed(try await Session.begin(client, validity: validity, within: patience), validFor: .seconds(86_400 * 365))
    }
  }

  package nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    let session = try await session()
    let place = session.newPlace(under: Self.prefix(of: key))
    let revision = try await take(place, session)
    do {
      try await waitUntilFirst(place, revision, Self.prefix(of: key), session)
    } catch {
      // Not waited for: a caller that was cancelled leaves at once.
      Task { await release(place, session) }
      throw error
    }
    let result: Result<Void, any Error>
    do {
      result = .success(try await Fence.lend(number: revision, check: { try session.check(revision) }, to: turn))
    } catch { result = .failure(error) }
    // In a task of its own, so that it is released also if this one was cancelled.
    await Task { await release(place, session) }.value
    try result.get()
  }

  /// Gives everything back at once, at the end of the process.
  package func end() async {
    guard let session = try? await sessions.value() else { return }
    await session.revoke()
  }

  /// Where the places of a key are.
  package static func prefix(of key: String) -> String { "serial-tasks/\(key.hexadecimal)/" }
}

// MARK: - The steps

extension EtcdAccess {
  private func session() async throws -> Session {
    let session = try await sessions.value()
    return session.isOver ? try await sessions.value(insteadOf: session) : session
  }

  /// Puts the place, and returns the revision of its creation.
  ///
  /// Asked twice, etcd puts it once.
  private func take(_ place: String, _ session: Session) async throws -> UInt64 {
    let own = TransactionRequest.Operation(request_range: RangeRequest(key: place.base64))
    let request = TransactionRequest(
      compare: [.init(key: place.base64, create_revision: "0")],
      success: [.init(request_put: PutRequest(key: place.base64, lease: session.lease)), own],
      failure: [own])
    // Not cancelled half way: nothing could tell whether the place was taken.
    let taking = Task {
      try await client.call("/v3/kv/txn", request, within: patience, TransactionAnswer.self)
    }
    do {
      guard let found = try await taking.value.ranges.first?.first else { throw EtcdError.leaseEnded }
      return found.createRevision
    } catch {
      // It may still be taken. Only the end of the lease removes it for certain.
      Task { await session.revoke() }
      throw error
    }
  }

  private func waitUntilFirst(
    _ place: String, _ revision: UInt64, _ prefix: String, _ session: Session
  ) async throws {
    let before = RangeRequest(
      key: prefix.base64, range_end: prefix.afterPrefix.base64, limit: "1", sort_order: "DESCEND",
      sort_target: "CREATE", max_create_revision: "\(revision - 1)")
    let request = TransactionRequest(success: [
      .init(request_range: before), .init(request_range: RangeRequest(key: place.base64)),
    ])
    while true {
      try Task.checkCancellation()
      let answer = try await client.call("/v3/kv/txn", request, within: patience, TransactionAnswer.self)
      guard answer.ranges.count == 2, !answer.ranges[1].isEmpty, !session.isOver else { throw EtcdError.leaseEnded }
      guard let previous = answer.ranges[0].first else { return }
      let seen = answer.header.revision.flatMap(UInt64.init) ?? revision
      try await client.waitForDeletion(
        of: previous.key.fromBase64, from: seen + 1, within: min(session.validity / 2, session.remaining))
    }
  }

  private func release(_ place: String, _ session: Session) async {
    while !session.isOver {
      let limit = min(patience, session.remaining)
      let answer = try? await client.call(
        "/v3/kv/deleterange", DeleteRequest(key: place.base64), within: limit, Anything.self)
      if answer != nil { return }
    }
  }
}

extension EtcdAccess {
  /// Makes the holder of the key lose it, as if it had been paused for too long.
  package func expireHolder(of key: String) async throws {
    let prefix = Self.prefix(of: key)
    let range = RangeRequest(
      key: prefix.base64, range_end: prefix.afterPrefix.base64, limit: "1", sort_order: "ASCEND", sort_target: "CREATE")
    let answer = try await client.call("/v3/kv/range", range, within: patience, RangeAnswer.self)
    guard let lease = answer.kvs?.first?.lease else { return }
    _ = try await client.call("/v3/lease/revoke", LeaseRequest(ID: lease), within: patience, Anything.self)
  }
}
