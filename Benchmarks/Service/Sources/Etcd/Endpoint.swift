import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Synchronization

/// One node of the cluster, and the connection to it.
///
/// It is connected when it is first asked. A first connection that is being made is kept for eight attempts: on a slow line that
/// takes longer than an answer. One that had answered, and then has not answered in time, is replaced: what is left of it may be
/// a connection to a host that is cut off, which TCP would keep for many minutes.
final class Endpoint: Sendable {
  typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

  private struct Connection {
    let client: Client
    let running: Task<Void, Never>
    var lastAnswer: ContinuousClock.Instant?
    let began = ContinuousClock.now
  }

  private struct State {
    var connection: Connection?
    var isClosed = false
  }

  private let cluster: EtcdCluster
  private let address: EtcdCluster.Address
  private let state = Mutex(State())

  init(_ cluster: EtcdCluster, _ address: EtcdCluster.Address) {
    self.cluster = cluster
    self.address = address
  }

  /// Returns the client, which is made if there is none; throws ``EtcdError/ended`` after ``close()``.
  func client() throws -> Client {
    let (found, isClosed) = state.withLock { ($0.connection?.client, $0.isClosed) }
    if isClosed { throw EtcdError.ended }
    if let found { return found }
    let made = try cluster.newClient(address)
    let connection = Connection(client: made, running: Task { try? await made.runConnections() })
    let kept = state.withLock { state in
      if state.connection == nil, !state.isClosed { state.connection = connection }
      return state.connection?.client
    }
    if kept !== made { Endpoint.close(connection, within: .zero) }
    guard let kept else { throw EtcdError.ended }
    return kept
  }

  func answered(_ client: Client) {
    state.withLock { if $0.connection?.client === client { $0.connection?.lastAnswer = .now } }
  }

  /// Notes that a request which was sent then has not been answered in time; returns whether any other was meanwhile.
  func isSilent(_ client: Client, since begin: ContinuousClock.Instant, limit: Duration) -> Bool {
    let (isSilent, old) = state.withLock { state -> (Bool, Connection?) in
      guard let connection = state.connection, connection.client === client else { return (true, nil) }
      if let answer = connection.lastAnswer {
        if answer >= begin { return (false, nil) }
      } else if connection.began + limit * 8 > .now {
        return (true, nil)
      }
      state.connection = nil
      return (true, connection)
    }
    // What is on its way there has its own end.
    if let old { Endpoint.close(old, within: limit) }
    return isSilent
  }

  /// Ends the connection, and makes no other.
  func close() {
    let old = state.withLock { state in
      state.isClosed = true
      return state.connection.take()
    }
    if let old { Endpoint.close(old, within: .zero) }
  }

  private static func close(_ connection: Connection, within limit: Duration) {
    connection.client.beginGracefulShutdown()
    Task {
      try? await Task.sleep(for: limit)
      connection.running.cancel()
    }
  }
}
