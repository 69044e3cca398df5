import CoalescingTasks
import Synchronization
import Testing

/// The session of the article on refreshing tokens, run.
@Suite(.watched, .oneOrder) struct TokenTests {
  private struct Refused: Error {}

  /// A server that rotates its tokens: each refresh token is good for one refresh, and each token until the next.
  private final class Rotating: Login, Server {
    struct State {
      var refreshes = 0
      var failures = 0
    }

    let state = Mutex(State())
    let gate = Gate()
    let isHeld: Bool

    init(isHeld: Bool = false, failures: Int = 0) {
      self.isHeld = isHeld
      state.withLock { $0.failures = failures }
    }

    var refreshes: Int { state.withLock { $0.refreshes } }

    func refresh(_ old: Token?) async throws -> Grant {
      let spent = state.withLock { state -> Bool in
        let isSpent = old.map { $0.text != "token \(state.refreshes)" } ?? (state.refreshes > 0)
        state.refreshes += 1
        return isSpent
      }
      if isHeld { await gate.pass() }
      try Task.checkCancellation()
      let fails = state.withLock { state -> Bool in
        state.failures -= 1
        return state.failures >= 0
      }
      if spent || fails { throw Refused() }
      return Grant(token: Token(text: "token \(refreshes)"), expiresIn: .seconds(3_600))
    }

    func send(_ request: Request, _ token: Token) async throws -> Response {
      Response(status: token.text == "token \(refreshes)" ? 200 : 401)
    }
  }

  /// Fails if: two callers spend one token, or the caller that leaves takes the renewal along.
  @Test func renewing() async throws {
    let server = Rotating(isHeld: true)
    let session = TokenAfter.Session(login: server, server: server)
    let first = Task { try await session.send(Request()) }
    await server.gate.arrived()
    let others = (1...50).map { _ in Task { try await session.send(Request()) } }
    try await session.token.waits(for: 51)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    server.gate.open()
    for call in others { #expect(try await call.value.status == 200) }
    #expect(server.refreshes == 1)
    #expect(try await OfRenewingValue.sent(Rotating(), Rotating()).status == 401)
  }

  @Test func aHundredRefusedRequests() async throws {
    let server = Rotating()
    let session = TokenAfter.Session(login: server, server: server)
    let first = try await session.token.value()
    let newer = try await session.token.value(insteadOf: first)
    #expect(newer.text == "token 2")
    for _ in 1...100 { #expect(try await session.token.value(insteadOf: first) == newer) }
    #expect(server.refreshes == 2)
    session.token.clear()
    #expect(session.token.snapshot == RenewingSnapshot())
  }

  @Test func aFailureIsTriedAgain() async throws {
    let server = Rotating(failures: 1)
    let token = TokenAfter.Session(login: server, server: server).token
    await #expect(throws: Refused.self) { try await token.value() }
    await #expect(throws: Refused.self) { try await token.value() }
    #expect(server.refreshes == 2)
  }
}
