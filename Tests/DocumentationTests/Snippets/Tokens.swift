// The blocks of the article on refreshing tokens, and of the doc comment of RenewingValue.
import SerialTasks

struct Token: Equatable, Sendable { var text: String }

struct Grant: Sendable {
  var token: Token
  var expiresIn: Duration
}

struct Request: Sendable {}

struct Response: Equatable, Sendable { var status: Int }

protocol Login: Sendable { func refresh(_ old: Token?) async throws -> Grant }

protocol Server: Sendable { func send(_ request: Request, _ token: Token) async throws -> Response }

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

enum TokenBefore {
  actor Session {
    let login: any Login
    let server: any Server
    private var last: Token?
    private var refreshing: Task<Token, any Error>?

    init(login: any Login, server: any Server) {
      self.login = login
      self.server = server
    }

    func send(_ request: Request) async throws -> Response {
      let response = try await server.send(request, token())
      guard response.status == 401 else { return response }
      return try await server.send(request, refresh())
    }

    func token() async throws -> Token {
      // A refresh that asks for a token waits here for itself.
      if let refreshing { return try await refreshing.value }
      return try await refresh()
    }

    func refresh() async throws -> Token {
      // Two callers spend the same token.
      let task = Task { [last] in try await login.refresh(last).token }
      refreshing = task  // if it fails, the failure stays here
      let token = try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()  // the caller that started it takes it along, for everybody
      }
      last = token
      return token
    }
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
      // A newer one, if there is one.
      return try await server.send(request, token.value(insteadOf: first))
    }
  }

  static func stuck(_ login: any Login) -> RenewingValue<Token> {
    let token = RenewingValue<Token>(name: "token", joinWindow: .seconds(30)) { old in
      let grant = try await login.refresh(old)
      return Renewed(grant.token, validFor: grant.expiresIn)
    }
    return token
  }

  static func logOut(_ token: RenewingValue<Token>) {
    token.clear()  // callers that wait are rejected with JobRejection.withdrawn
  }

  static func callback(_ token: RenewingValue<Token>, _ show: @escaping @Sendable (String) -> Void) {
    token.value { result in
      if case .success(let token) = result { show(token.text) }
    }
  }
}
