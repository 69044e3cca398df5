import CoalescingTasks
import Synchronization
import Testing

/// The article on refreshing tokens, run: what is sent, what is stored, who is logged out, and what is spent twice.
@Suite(.watched, .oneOrder) struct TokenTests {
  /// Keeps what it is given, and holds a save at a gate if it has one.
  private final class Keychain: TokenStore {
    private let kept: Mutex<Grant?>
    /// The texts of the tokens that were saved, in order; `nil` for one that was removed.
    let saves = Mutex<[String?]>([])
    let saving: Gate?
    let removing: Gate?

    init(_ kept: Grant? = nil, saving: Gate? = nil, removing: Gate? = nil) {
      self.kept = Mutex(kept)
      self.saving = saving
      self.removing = removing
    }

    var token: Token? { kept.withLock { $0?.token } }

    func load() async -> Grant? { kept.withLock { $0 } }

    func save(_ grant: Grant?) async {
      await (grant == nil ? removing : saving)?.pass()
      kept.withLock { $0 = grant }
      saves.withLock { $0.append(grant?.token.text) }
    }
  }

  /// Gives each refresh a new token, and notes what was spent; sends with any token that it does not refuse, after the gate.
  private final class Account: Login, Server {
    let spent = Mutex<[Token?]>([])
    let sent = Mutex<[Token]>([])
    let refused: [String]
    let refreshing: Gate?
    let sending: Gate?
    let isRevoked: Bool

    init(refused: [String] = [], refreshing: Gate? = nil, sending: Gate? = nil, isRevoked: Bool = false) {
      self.refused = refused
      self.refreshing = refreshing
      self.sending = sending
      self.isRevoked = isRevoked
    }

    func refresh(_ old: Token?) async throws -> Grant {
      let count = spent.withLock { spent in
        spent.append(old)
        return spent.count
      }
      if count == 1 { await refreshing?.pass() }
      if isRevoked { throw LoginNeeded() }
      return grant("token \(count)")
    }

    func send(_ request: Request, _ token: Token) async throws -> Response {
      sent.withLock { $0.append(token) }
      await sending?.pass()
      return Response(status: refused.contains(token.text) ? 401 : 200)
    }
  }

  /// Fails if: a refused request is not sent again, or sent again with the refused token.
  @Test func aRefusedRequestIsSentAgain() async throws {
    let sessions: [(Account) async throws -> Response] = [
      { try await OfRenewingValue.sent($0, $0) },
      { try await TokenAfter.Session(login: $0, server: $0).send(Request()) },
      { try await TokenStored.Session(login: $0, server: $0, store: Keychain()).send(Request()) },
    ]
    for send in sessions {
      let account = Account(refused: ["token 1"])
      #expect(try await send(account).status == 200)
      #expect(account.sent.withLock { $0.map(\.text) } == ["token 1", "token 2"])
    }
  }

  /// A renewal is storing its token when the user logs out.
  ///
  /// Fails if: the token is spent or stored outside of the line, or `logOut` removes it before the line has drained.
  @Test func aTokenIsNotStoredAfterTheLogOut() async throws {
    let gate = Gate()
    let (account, keychain) = (Account(), Keychain(saving: gate))
    let session = TokenStored.Session(login: account, server: account, store: keychain)
    let request = Task { try await session.send(Request()) }
    await gate.waitForArrivals()
    let loggingOut = Task.immediate { await session.logOut() }
    await #expect(throws: JobRejection.withdrawn) { try await request.value }
    gate.open()
    await loggingOut.value
    try await until { keychain.saves.withLock { $0.count } == 2 }
    #expect(keychain.saves.withLock { $0 } == ["token 1", nil])
  }

  /// Fails if: the log-out does not wait for a request that is being sent, or does not tell its caller at once; or it cancels the task
  /// of that caller.
  @Test func aLogOutEndsRequests() async throws {
    let (gate, log) = (Gate(), Log())
    let account = Account(sending: gate)
    let session = TokenStored.Session(login: account, server: account, store: Keychain())
    let requests = TokenStored.Requests(session: session)
    let caller = Task {
      await #expect(throws: JobRejection.withdrawn) { try await requests.send(Request()) }
      log(Task.isCancelled ? "cancelled" : "withdrawn")
    }
    await gate.waitForArrivals()
    let loggingOut = Task {
      await requests.logOut()
      log("logged out")
    }
    await caller.value
    gate.open()
    await loggingOut.value
    #expect(log.entries == ["withdrawn", "logged out"])
    await #expect(throws: JobRejection.closed) { try await requests.send(Request()) }
  }

  /// Fails if: after the log-out a token is spent, or taken from where it is kept.
  @Test func afterTheLogOutNoTokenIsSpent() async throws {
    let account = Account()
    let keychain = Keychain(grant("kept"))
    let session = TokenStored.Session(login: account, server: account, store: keychain)
    await session.logOut()
    await keychain.save(grant("Bob's"))
    await #expect(throws: JobRejection.closed) { try await session.send(Request()) }
    #expect(account.spent.withLock { $0 } == [])
  }

  /// Fails if: a valid token that was kept is not used, or one that is not valid any more is not spent.
  @Test func theKeptTokenComesFirst() async throws {
    let account = Account()
    let valid = TokenStored.Session(login: account, server: account, store: Keychain(grant("kept")))
    #expect(try await valid.token.value().text == "kept")
    #expect(account.spent.withLock { $0 } == [])
    let keychain = Keychain(grant("old", .zero))
    let expired = TokenStored.Session(login: account, server: account, store: keychain)
    #expect(try await expired.token.value().text == "token 1")
    #expect(account.spent.withLock { $0 } == [Token(text: "old")] && keychain.token?.text == "token 1")
  }

  /// Ann's request is refused after she has logged out and Bob has logged in.
  ///
  /// Fails if: a request of one session is sent with the token of another.
  @Test func aRequestKeepsItsSession() async throws {
    let gate = Gate()
    let account = Account(refused: ["Ann's"], sending: gate)
    let keychain = Keychain(grant("Ann's"))
    let ann = TokenStored.Session(login: account, server: account, store: keychain)
    let request = Task { try await ann.send(Request()) }
    await gate.waitForArrivals()
    await ann.logOut()
    await keychain.save(grant("Bob's"))
    let bob = TokenStored.Session(login: account, server: account, store: keychain)
    #expect(try await bob.token.value().text == "Bob's")
    gate.open()
    await #expect(throws: JobRejection.closed) { try await request.value }
    #expect(account.sent.withLock { $0.map(\.text) } == ["Ann's"])
  }

  /// Fails if: an account that is removed during its renewal can spend its token a second time meanwhile.
  @Test func anAccountThatIsRemovedDuringItsRenewal() async throws {
    let (gate, made) = (Gate(), Log())
    let accounts = TokenStored.Accounts { name in
      made(name)
      let account = Account(refreshing: gate)
      return TokenStored.Session(login: account, server: account, store: Keychain())
    }
    let caller = Task { try await accounts.session(of: "ann").token.value() }
    await gate.waitForArrivals()
    let removing = Task { try await accounts.remove("ann") }
    await #expect(throws: JobRejection.withdrawn) { try await caller.value }
    await #expect(throws: JobRejection.closed) { try await accounts.session(of: "ann").token.value() }
    gate.open()
    try await removing.value
    #expect(try await accounts.session(of: "ann").token.value().text == "token 1")
    #expect(made.entries == ["ann", "ann"])
  }

  /// Two screens log the same account out, and the user logs in again.
  ///
  /// Fails if: the second log-out removes what the new log-in has stored.
  @Test func anAccountThatIsRemovedTwice() async throws {
    let (gate, login) = (Gate(), Account())
    let store = Keychain(removing: gate)
    let accounts = TokenStored.Accounts { _ in TokenStored.Session(login: login, server: login, store: store) }
    _ = try await accounts.session(of: "ann").token.value()
    let first = Task { try await accounts.remove("ann") }
    await gate.waitForArrivals()
    let second = Task { try await accounts.remove("ann") }
    try await accounts.logOuts.waitUntil(waiting: 1, for: "ann")
    gate.open()
    try await first.value
    _ = try await accounts.session(of: "ann").token.value()
    try await second.value
    #expect(store.saves.withLock { $0 } == ["token 1", nil, "token 2"])
  }

  /// The renewal that runs when the purchase is made began before it.
  ///
  /// Fails if: a call after the purchase gets the token of a renewal that began before.
  @Test func aTokenWithNewClaims() async throws {
    let gate = Gate()
    let account = Account(refreshing: gate)
    let session = TokenAfter.Session(login: account, server: account)
    let first = Task { try await session.token.value() }
    await gate.waitForArrivals()
    let paid = Task { try await TokenStored.renewClaims(session.token) }
    try await session.token.waitUntil(waiting: 2)
    gate.open()
    #expect(try await first.value.text == "token 1")
    #expect(try await paid.value.text == "token 2")
  }

  /// Refuses the old token when the test says so, and gives a new one for every other.
  private struct RefusesOld: Login {
    let gate = Gate()

    func refresh(_ old: Token?) async throws -> Grant {
      if old?.text == "old" {
        await gate.pass()
        throw LoginNeeded()
      }
      return Grant(token: Token(text: "renewed"), expiresIn: .seconds(60))
    }
  }

  /// The user signs in again while the old token is being spent, and only then it is refused.
  ///
  /// Fails if: that it was refused is remembered, and not which token.
  @Test func aTokenThatWasRefusedEndsNoNewSession() async throws {
    let (login, old, new) = (RefusesOld(), Token(text: "old"), Token(text: "signed in"))
    let token = TokenAfter.refusedForGood(login)
    token.replace(with: Renewed(old, validFor: .seconds(60)))
    let waiting = Task { try await token.value(insteadOf: old) }
    await login.gate.waitForArrivals()
    token.replace(with: Renewed(new, validFor: .seconds(60)))
    #expect(try await waiting.value == new)
    login.gate.open()
    try await token.drain()
    #expect(try await token.value(insteadOf: new).text == "renewed")
  }

  /// Fails if: a refresh that was refused for good is sent again.
  @Test func aRefusalForGoodIsRemembered() async throws {
    let account = Account(isRevoked: true)
    let token = TokenAfter.refusedForGood(account)
    for _ in 1...20 { await #expect(throws: LoginNeeded.self) { try await token.value() } }
    #expect(account.spent.withLock { $0.count } == 1)
    #expect(try await TokenAfter.refusedForGood(Account()).value().text == "token 1")
  }

  /// Why the article warns of a `joinWindow`.
  ///
  /// Fails if: a renewal that is too old to be joined is not started again with the same old token.
  @Test func aJoinWindowSpendsATokenTwice() async throws {
    let (clock, gate) = (ManualClock(), Gate())
    let account = Account(refreshing: gate)
    let token = RenewingValue<Token>(name: "token", joinWindow: .seconds(30), clock: clock) { old in
      let grant = try await account.refresh(old ?? Token(text: "old"))
      return Renewed(grant.token, validFor: grant.expiresIn)
    }
    let first = Task { try await token.value() }
    await gate.waitForArrivals()
    clock.advance(by: .seconds(31))
    #expect(try await token.value().text == "token 2")
    #expect(account.spent.withLock { $0 } == [Token(text: "old"), Token(text: "old")])
    gate.open()
    #expect(try await first.value.text == "token 2")
  }
}

private func grant(_ text: String, _ validity: Duration = .seconds(3_600)) -> Grant {
  Grant(token: Token(text: text), expiresIn: validity)
}
