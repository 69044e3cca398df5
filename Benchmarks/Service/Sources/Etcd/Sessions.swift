import CoalescingTasks
import Synchronization

/// The session of this process: one for all calls, and a new one, asked for once, when the old one is over.
final class Sessions: Sendable {
  private final class Shared: Sendable {
    let state = Mutex((session: Session?.none, hasEnded: false))
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
  }

  private let shared = Shared()
  private let value: RenewingValue<Session>

  init(_ begin: @escaping @Sendable () async throws -> Session) {
    // A cluster that refuses is not asked by each call.
    value = RenewingValue(name: "etcd session", pauseAfterFailure: .milliseconds(500)) { [shared] _ in
      let session = try await begin()
      let hasEnded = shared.state.withLock { state in
        if !state.hasEnded { state.session = session }
        return state.hasEnded
      }
      // Also if no caller waits for it any more: nothing else would revoke it.
      if hasEnded { await session.revoke() }
      return Renewed(session, validFor: .seconds(86_400 * 365))
    }
  }

  /// Returns a session that is valid, as far as is known here.
  func current() async throws -> Session {
    if shared.hasEnded { throw EtcdError.ended }
    var session = try await value.value()
    if session.isOver, !shared.hasEnded { session = try await value.value(insteadOf: session) }
    if shared.hasEnded { throw EtcdError.ended }
    return session
  }

  /// Revokes the session, if there is one, and gives no other.
  func end() async {
    let session = shared.state.withLock { state in
      state.hasEnded = true
      return state.session.take()
    }
    await session?.revoke()
  }
}
