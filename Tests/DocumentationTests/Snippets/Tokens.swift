// The blocks of the article on refreshing tokens, and of the doc comment of RenewingValue.
import CoalescingTasks
import Foundation
import Synchronization

nonisolated struct Token: Equatable, Sendable { var text: String }

struct Grant: Sendable {
  var token: Token
  var expiresIn: Duration
}

protocol Login: Sendable { func refresh(_ old: Token?) async throws -> Grant }

protocol Server: Sendable {
  func send(_ request: Request, _ token: Token) async throws -> Response
}

struct Request: Sendable {}

struct Response: Equatable, Sendable { var status: Int }

struct LoginNeeded: Error {}

/// Where tokens are kept between two launches.
protocol TokenStore: Sendable {
  func load() async -> Grant?
  func save(_ grant: Grant?) async
}

enum OfRenewingValue {
  static func sent(_ login: some Login, _ server: some Server) async throws -> Response {
    let token = RenewingValue<Token>(name: "token", renewAhead: .seconds(60)) { old in
      let grant = try await login.refresh(old)
      return Renewed(grant.token, validFor: grant.expiresIn)
    }

    func send(_ request: Request) async throws -> Response {
      let first = try await token.value()  // without a suspension, while it is valid
      let response = try await server.send(request, first)
      guard response.status == 401 else { return response }
      // A hundred refused requests renew once.
      return try await server.send(request, token.value(insteadOf: first))
    }
    return try await send(Request())
  }
}

enum TokenAfter {
  struct Session: Sendable {
    let token: RenewingValue<Token>
    let server: any Server

    init(login: any Login, server: any Server) {
      self.server = server
      token = RenewingValue(name: "token", renewAhead: .seconds(60)) { old in
        let grant = try await login.refresh(old)
        return Renewed(grant.token, validFor: grant.expiresIn)
      }
    }

    func send(_ request: Request) async throws -> Response {
      let first = try await token.value()
      let response = try await server.send(request, first)
      guard response.status == 401 else { return response }
      return try await server.send(request, token.value(insteadOf: first))
    }
  }

  static func refusedForGood(_ login: any Login) -> RenewingValue<Token> {
    let refused = Mutex<[Token?]>([])
    let token = RenewingValue<Token>(name: "token") { old in
      if refused.withLock({ $0.contains(old) }) { throw LoginNeeded() }  // no request
      do {
        let grant = try await login.refresh(old)
        return Renewed(grant.token, validFor: grant.expiresIn)
      } catch let error as LoginNeeded {  // the server's “no”; not a lost connection
        refused.withLock { $0.append(old) }
        throw error
      }
    }
    return token
  }
}

enum TokenStored {
  struct Session: Sendable {
    let token: RenewingValue<Token>
    let server: any Server
    let store: any TokenStore

    init(login: any Login, server: any Server, store: any TokenStore) {
      self.server = server
      self.store = store
      token = RenewingValue(name: "token", renewAhead: .seconds(60)) { old in
        var last = old
        if last == nil, let kept = await store.load() {  // the first call of this session
          if kept.expiresIn > .zero {
            return Renewed(kept.token, validFor: kept.expiresIn)  // without a request
          }
          last = kept.token
        }
        let grant = try await login.refresh(last)
        await store.save(grant)  // before any caller has it
        return Renewed(grant.token, validFor: grant.expiresIn)
      }
    }

    func logOut() async {
      await token.shutDown(within: .zero)  // what was being stored has been stored …
      await store.save(nil)  // … and is removed
    }

    func send(_ request: Request) async throws -> Response {
      let first = try await token.value()
      let response = try await server.send(request, first)
      guard response.status == 401 else { return response }
      return try await server.send(request, token.value(insteadOf: first))
    }
  }

  static func renewClaims(_ token: RenewingValue<Token>) async throws -> Token {
    let paid = try await token.value(policy: .rerun)
    return paid
  }

  final class Accounts: Sendable {
    private let sessions = Mutex<[String: Session]>([:])
    private let login: @Sendable (String) -> Session
    let logOuts = KeyedSerialTaskExecutor<String>(name: "log-outs")

    init(login: @escaping @Sendable (String) -> Session) { self.login = login }

    func session(of account: String) -> Session {
      sessions.withLock { sessions in
        if let session = sessions[account] { return session }
        let session = login(account)
        sessions[account] = session
        return session
      }
    }

    func remove(_ account: String) async throws {
      guard let session = sessions.withLock({ $0[account] }) else { return }
      // Submitted: a cancelled caller does not prevent it.
      try await logOuts.submit(for: account) { [self] in
        guard sessions.withLock({ $0[account]?.token === session.token }) else { return }
        await session.logOut()  // meanwhile, its calls are rejected as closed
        sessions.withLock { $0[account] = nil }
      }.value
    }
  }

  struct Requests: Sendable {
    let session: Session
    let running = TaskCoalescer<UUID, Response>(name: "requests")

    func send(_ request: Request) async throws -> Response {
      try await running.value(for: UUID()) { try await session.send(request) }
    }

    func logOut() async {
      let parts: [any Drainable] = [running, session.token]
      await parts.shutDown(within: .zero)  // requests are cancelled, and have ended
      await session.store.save(nil)
    }
  }
}
