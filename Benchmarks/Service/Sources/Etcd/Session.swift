import Foundation
import SerialTasksFenced
import Synchronization

/// A lease that this process keeps alive.
///
/// All places of the process in etcd belong to it, and vanish with it.
final class Session: Sendable {
  private struct State {
    var end: ContinuousClock.Instant
    var isOver = false
    var places: UInt64 = 0
  }

  let lease: String
  let validity: Duration
  private let client: EtcdClient
  private let state: Mutex<State>

  private init(_ client: EtcdClient, lease: String, validity: Duration, end: ContinuousClock.Instant) {
    self.client = client
    self.lease = lease
    self.validity = validity
    state = Mutex(State(end: end))
  }

  /// Makes a lease, and keeps it alive until the session is over.
  static func begin(_ client: EtcdClient, validity: Duration, within limit: Duration) async throws -> Session {
    // Counted from before it was asked for, so that it ends here before it ends there.
    let asked = ContinuousClock.now
    let seconds = validity.components.seconds
    let answer = try await client.call(
      "/v3/lease/grant", GrantRequest(TTL: "\(seconds)"), within: limit, LeaseAnswer.self)
    guard let lease = answer.ID else { throw EtcdError.refused(path: "/v3/lease/grant", message: "no lease") }
    let session = Session(client, lease: lease, validity: validity, end: asked + validity)
    // Ends with the last reference to the session, too: then its places are not needed.
    Task { [weak session] in
      while session?.isOver == false {
        try await Task.sleep(for: validity / 3)
        await session?.renew()
      }
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

  /// The name of a new place, which no other caller has.
  func newPlace(under prefix: String) -> String {
    let number = state.withLock {
      $0.places += 1
      return $0.places
    }
    return "\(prefix)\(lease)-\(number)"
  }
}

// MARK: - Keeping it alive

extension Session {
  private func renew() async {
    let asked = ContinuousClock.now
    do {
      let answer = try await client.call(
        "/v3/lease/keepalive", LeaseRequest(ID: lease), within: validity / 3, Streamed<LeaseAnswer>.self)
      // Without a time to live, there is no such lease any more.
      guard let seconds = answer.result?.TTL.flatMap(Int64.init), seconds > 0 else { return end() }
      state.withLock { $0.end = max($0.end, asked + .seconds(seconds)) }
    } catch EtcdError.refused { end() } catch {
      // No answer: it is asked again until the lease is over.
    }
  }

  /// From now on, nothing here relies on it.
  func end() { state.withLock { $0.isOver = true } }

  /// Ends it there too, so that others need not wait until it is over.
  func revoke() async {
    end()
    _ = try? await client.call("/v3/lease/revoke", LeaseRequest(ID: lease), within: .seconds(1), Anything.self)
  }
}
