import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// Where a cluster is, and how it is spoken to.
package struct EtcdCluster: Sendable {
  /// A node: `https://etcd1:2379`.
  package struct Address: Hashable, Sendable {
    package var host: String
    package var port: Int
    package var isSecure: Bool

    package init(host: String, port: Int, isSecure: Bool) {
      self.host = host
      self.port = port
      self.isSecure = isSecure
    }
  }

  /// Files in the PEM format.
  package struct Certificates: Hashable, Sendable {
    /// Of the authority that has signed the nodes' certificates; `nil` means one that the system trusts.
    package var authority: String?
    /// Of this process, where the nodes ask for one.
    package var own: String?
    package var key: String?

    package init(authority: String? = nil, own: String? = nil, key: String? = nil) {
      self.authority = authority
      self.own = own
      self.key = key
    }
  }

  package struct User: Sendable {
    package var name: String
    package var password: String

    package init(name: String, password: String) {
      self.name = name
      self.password = password
    }
  }

  package var addresses: [Address]
  package var certificates = Certificates()
  package var user: User?
  /// What all names begin with that are kept there: programs that share a cluster, and no keys, have a prefix each.
  package var prefix = "serial-tasks/"
  /// Stands between the client and the connection, and may lose or delay what is sent; for tests.
  package var network: Network?

  package typealias Network =
    @Sendable (
      _ call: String, _ send: @escaping @Sendable () async throws -> any Sendable
    ) async throws -> any Sendable

  /// Reads addresses with commas between them; `nil` if there is none, or one of them is not an address, or is one of TLS
  /// without a name.
  package init?(_ list: String) {
    let found = list.split(separator: ",", omittingEmptySubsequences: false).map { EtcdCluster.address(String($0)) }
    guard found.allSatisfy({ $0 != nil }) else { return nil }
    addresses = found.compactMap(\.self)
  }

  private static func address(_ text: String) -> Address? {
    guard let url = URL(string: text), let host = url.host(), !host.isEmpty, let scheme = url.scheme,
      ["http", "https"].contains(scheme)
    else { return nil }
    // These would be ignored; a user and a prefix are given elsewhere.
    if url.user != nil || url.query != nil || url.fragment != nil || !["", "/"].contains(url.path) { return nil }
    // A certificate is checked for a name, which TLS does not allow to be an address.
    let isNumber = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
    if scheme == "https", isNumber { return nil }
    return Address(host: host, port: url.port ?? 2379, isSecure: scheme == "https")
  }
}

extension EtcdCluster {
  /// Throws if a file of the certificates cannot be read, or is none; connects to nothing.
  package func check() throws { for address in addresses { _ = try newClient(address) } }

  /// Makes a client of one node, which connects when it runs.
  func newClient(_ address: Address) throws -> Endpoint.Client {
    var config = HTTP2ClientTransport.Posix.Config.defaults
    config.backoff = .init(initial: .milliseconds(100), max: .seconds(1), multiplier: 2, jitter: 0.3)
    let transport = try HTTP2ClientTransport.Posix(
      target: .dns(host: address.host, port: address.port), transportSecurity: security(address), config: config)
    return GRPCClient(transport: transport)
  }

  private func security(_ address: Address) -> HTTP2ClientTransport.Posix.TransportSecurity {
    guard address.isSecure else { return .plaintext }
    return .tls { tls in
      if let file = certificates.authority { tls.trustRoots = .certificates([.file(path: file, format: .pem)]) }
      if let file = certificates.own { tls.certificateChain = [.file(path: file, format: .pem)] }
      if let file = certificates.key { tls.privateKey = .file(path: file, format: .pem) }
    }
  }
}

/// How long things may take.
package struct EtcdLimits: Hashable, Sendable {
  /// How long etcd keeps the places of a process that it does not hear from.
  ///
  /// etcd counts in whole seconds.
  package var validity: Duration
  /// How long one node is given for an answer, before another is asked.
  ///
  /// It should be more than twice the round trip.
  package var attempt: Duration
  /// How long a call goes on asking a cluster that does not answer.
  package var patience: Duration
  /// How many requests are on their way at a time; others wait, in their order.
  package var requests: Int

  package init(
    validity: Duration = .seconds(5), attempt: Duration = .seconds(1), patience: Duration = .seconds(4),
    requests: Int = 100
  ) {
    precondition(validity > .zero && attempt > .zero && patience >= .zero && requests > 0, "limits are positive")
    self.validity = validity
    self.attempt = attempt
    self.patience = patience
    self.requests = requests
  }
}
