import CoalescingTasks
import GRPCCore
import Metrics
import Synchronization

/// What is asked of a cluster: transactions, over one connection, and leases, over another.
///
/// Leases have a connection of their own, so that no number of other requests keeps a renewal waiting.
package final class EtcdClient: Sendable {
  let limits: EtcdLimits
  let metrics: any MetricsFactory
  let places: Places
  let keys: Nodes
  let tokens: RenewingValue<String>?
  private let leases: Nodes
  /// Lets so many transactions be on their way at a time.
  private let gate: KeyedSerialTaskExecutor<UInt64>
  private let number = Atomic<UInt64>(0)

  /// Asks for nothing yet; `metrics` is where its engine counts, too.
  package init(
    _ cluster: EtcdCluster, limits: EtcdLimits = EtcdLimits(), metrics: any MetricsFactory = MetricsSystem.factory
  ) {
    (self.limits, self.metrics) = (limits, metrics)
    _ = Counter(label: "etcd_leases_lost", factory: metrics)
    places = Places(root: cluster.prefix)
    let keys = Nodes(cluster, attempt: limits.attempt, metrics)
    self.keys = keys
    leases = Nodes(cluster, attempt: min(limits.attempt, limits.validity / 4), metrics)
    gate = KeyedSerialTaskExecutor(name: "etcd", maximumConcurrentJobs: limits.requests)
    // A refused user asks for no other token within a second.
    tokens = cluster.user.map { user in
      RenewingValue(name: "etcd token", pauseAfterFailure: .seconds(1)) { _ in
        let request = Etcdserverpb_AuthenticateRequest.with { ($0.name, $0.password) = (user.name, user.password) }
        let asked = try await keys.ask("authenticate", within: limits.patience, nil) { line, options in
          try await line.client.ask(.authenticate, request, options: options)
        }
        return Renewed(asked.answer.token, validFor: .seconds(86_400 * 365))
      }
    }
  }

  /// Ends all connections.
  package func shutDown() {
    keys.close()
    leases.close()
  }
}

// MARK: - Keys

extension EtcdClient {
  /// Sends a transaction, when its turn has come; it may be executed more often than once, and late.
  func transact(
    _ call: String, _ request: Etcdserverpb_TxnRequest, within limit: Duration
  ) async throws -> Nodes.Asked<Etcdserverpb_TxnResponse> {
    let end = ContinuousClock.now + limit
    let place = number.wrappingAdd(1, ordering: .relaxed).newValue
    do {
      return try await gate.enqueue(for: place, name: call, waitingAtMost: limit) {
        try await keys.ask(call, within: max(.zero, end - .now), tokens) { line, options in
          try await line.client.ask(.transact, request, metadata: line.metadata, options: options)
        }
      }
    } catch is JobRejection { throw EtcdError.busy(call: call) }
  }

  func range(_ request: Etcdserverpb_RangeRequest) async throws -> Etcdserverpb_RangeResponse {
    try await keys.ask("range", within: limits.patience, tokens) { line, options in
      try await line.client.ask(.range, request, metadata: line.metadata, options: options)
    }.answer
  }

  /// Forgets the history before this revision; for tests.
  package func compact(_ revision: Int64) async throws {
    let request = Etcdserverpb_CompactionRequest.with { $0.revision = revision }
    _ = try await keys.ask("compact", within: limits.patience, tokens) { line, options in
      try await line.client.ask(.compact, request, metadata: line.metadata, options: options)
    }
  }

  /// The newest revision, as a majority sees it.
  package func revision() async throws -> Int64 {
    try await range(.with { ($0.key, $0.countOnly) = (places.root.bytes, true) }).header.revision
  }
}

// MARK: - Leases

extension EtcdClient {
  /// Returns a new lease, and until when it is valid for certain.
  func grantLease(within limit: Duration) async throws -> (id: Int64, end: ContinuousClock.Instant) {
    // etcd counts in whole seconds, and at least for as long as an election may take.
    let seconds = Int64((limits.validity / .seconds(1)).rounded(.up))
    let request = Etcdserverpb_LeaseGrantRequest.with { $0.ttl = seconds }
    let asked = try await leases.ask("lease grant", within: limit, tokens) { line, options in
      try await line.client.ask(.grantLease, request, metadata: line.metadata, options: options)
    }
    return (asked.answer.id, asked.since + .seconds(asked.answer.ttl))
  }

  /// Returns until when the lease is valid for certain; `nil` if there is no such lease any more.
  func renewLease(_ lease: Int64, within limit: Duration) async throws -> ContinuousClock.Instant? {
    let request = Etcdserverpb_LeaseKeepAliveRequest.with { $0.id = lease }
    let asked = try await leases.ask("lease keep-alive", within: limit, tokens) { line, options in
      try await line.client.stream(.keepLease, metadata: line.metadata, options: options) {
        try await $0.write(request)
      } _: { response in
        var seconds: Int64?
        for try await answer in response.messages { seconds = answer.ttl }
        // A node that ends the stream without a word knows nothing of the lease.
        guard let seconds else { throw RPCError(code: .unavailable, message: "the stream ended") }
        return seconds
      }
    }
    return asked.answer > 0 ? asked.since + .seconds(asked.answer) : nil
  }

  func revokeLease(_ lease: Int64, within limit: Duration) async throws {
    let request = Etcdserverpb_LeaseRevokeRequest.with { $0.id = lease }
    _ = try await leases.ask("lease revoke", within: limit, tokens) { line, options in
      try await line.client.ask(.revokeLease, request, metadata: line.metadata, options: options)
    }
  }
}
