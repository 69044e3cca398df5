// A value that is kept while it is valid, as its users write it: every line must compile, without a warning, in each
// CLIENT_MODE.
import CoalescingTasks

nonisolated struct AccessToken: Sendable, Equatable { var text: String }
nonisolated protocol Login: Sendable { func refresh(_ old: AccessToken?) async throws -> AccessToken }

nonisolated func tokens(_ login: any Login, _ clock: some Clock<Duration>) async throws {
  let token = RenewingValue<AccessToken>(name: "token", renewAhead: .seconds(60), clock: clock) { old in
    Renewed(try await login.refresh(old), validFor: .seconds(3_600))
  }
  let first = try await token.value()
  let second = try await token.value(insteadOf: first)  // the server said 401
  token.clear()
  print(second)
}

nonisolated func session(_ login: any Login, _ signedIn: AccessToken) async throws {
  let token = RenewingValue<AccessToken>(name: "session", pauseAfterFailure: .seconds(5)) { old in
    Renewed(try await login.refresh(old), validFor: .seconds(60))
  }
  token.replace(with: Renewed(signedIn, validFor: .seconds(60)))
  token.close()
  try await token.drain()
  await token.shutDown(within: .seconds(1))
}

/// A session that belongs to the main actor, and whose refresh touches what is its own.
@MainActor final class Session {
  let login: any Login
  var refreshes = 0
  private(set) var shown: AccessToken?
  private lazy var token = RenewingValue<AccessToken>(joinWindow: .seconds(30)) { @MainActor [login, weak self] old in
    self?.refreshes += 1
    return Renewed(try await login.refresh(old), validFor: .seconds(3_600))
  } onEvent: { event in
    print(event)
  }

  init(login: any Login) { self.login = login }

  func request() async throws -> String { try await token.value().text }

  func show() {
    token.value { result in
      if case .success(let token) = result { self.shown = token }
    }
    guard let shown else { return }
    token.value(insteadOf: shown) { result in
      if case .failure(let error) = result { print(error) }
    }
  }

  func logOut() {
    token.clear()
    let snapshot = token.snapshot
    print(snapshot.remaining ?? .zero, snapshot.running, snapshot.waiting, token.name ?? "")
  }
}

/// An actor renews from its own state; the value need not be Equatable.
actor Vault {
  nonisolated struct Secret: Sendable { var bytes: [UInt8] }
  private var seed: UInt8 = 0

  func secret() -> RenewingValue<Secret> {
    RenewingValue { _ in
      self.seed += 1
      return Renewed(Secret(bytes: [self.seed]), validFor: .seconds(60))
    }
  }
}

/// Operations that run to their end, even if all callers leave.
nonisolated func spent(_ login: any Login) async throws -> AccessToken {
  let logins = TaskCoalescer<Int, AccessToken>(name: "logins", runsToEnd: true)
  return try await logins.value(for: 7) { try await login.refresh(nil) }
}
