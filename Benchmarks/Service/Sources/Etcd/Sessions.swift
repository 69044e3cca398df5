import SerialTasks
import Synchronization

/// The session of this process: one for all calls, and a new one, asked for once, when the old one is over.
final class Sessions: Sendable {
  private struct State {
    var session: Session?
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let value: RenewingValue<Session>

  init(_ begin: @escaping @Sendable () async throws -> Session) {
    // A cluster that refuses is not asked by each call.
    value = RenewingValue(name: "etcd session", pauseAfterFailure: .milliseconds(500)) { _ in
      Renewed(try await begin(), validFor: .seconds(86_400 * 365))
    }
  }

  /// Returns a session that is valid, as far as is known here.
  func current() async throws -> Session {
    if state.withLock({ $0.hasEnded }) { throw EtcdError.ended }
    var session = try await value.value()
    if session.isOver { session = try await value.value(insteadOf: session) }
    let hasEnded = state.withLock { state in
      state.session = session
      return state.hasEnded
    }
    guard hasEnded else { return session }
    await session.revoke()
    throw EtcdError.ended
  }

  /// Revokes the session, if there is one, and gives no other.
  func end() async {
    let session = state.withLock { state in
      state.hasEnded = true
      return state.session.take()
    }
    await session?.revoke()
  }
}
