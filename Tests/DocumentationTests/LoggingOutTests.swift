import CoalescingTasks
import Synchronization
import Testing

/// The article on logging out, run.
@Suite(.watched, .oneOrder) struct LoggingOutTests {
  private final class Keychain: TokenStore {
    let log: Log
    init(_ log: Log) { self.log = log }
    func load() async -> Grant? { nil }
    func save(_ grant: Grant?) async { log(grant == nil ? "wiped" : "stored") }
  }

  private struct Refusing: Login {
    func refresh(_ old: Token?) async throws -> Grant { throw LoginNeeded() }
  }

  let gate = Gate()
  let log = Log()
  let clock = ManualClock()

  /// An account whose renewals store a token, and whose loads are shown, after the gate.
  private func account() -> LoggingOutUse.Account {
    let store = Keychain(log)
    return LoggingOutUse.Account(
      token: RenewingValue(name: "token") { [gate] _ in
        await gate.pass()
        let grant = Grant(token: Token(text: "new"), expiresIn: .seconds(60))
        await store.save(grant)
        return Renewed(grant.token, validFor: grant.expiresIn)
      },
      notes: CoalescingTaskExecutor(name: "notes", clock: clock), profiles: TaskCoalescer(name: "profiles"),
      feed: Reloader(
        name: "feed",
        load: { [gate] _ in
          await gate.pass()
          return "feed"
        }, apply: { [log] in log("shown \($0)") }),
      store: store)
  }

  /// Something of each type runs, ignores its cancellation, and has a caller.
  ///
  /// Fails if: a token is stored after the log-out, a result is shown, a caller is not rejected at once, or a later call begins.
  @Test func afterALogOutNothingRuns() async throws {
    let account = account()
    let api = API(gate: gate)
    let callers: [Task<Void, any Error>] = [
      Task { _ = try await account.token.value() },
      Task { _ = try await account.profiles.value(for: "ann") { try await api.profile(of: "ann") } },
      Task { _ = try await account.feed.reload(.init()) },
    ]
    let reader = Task { [gate] in try await account.notes.read("all") { await gate.pass() } }
    await gate.waitForArrivals(4)
    account.notes.submitWrite { [log] in log("written") }
    account.notes.submitWrite(latest: "a", touching: ["a"], after: .seconds(1)) { [log] in log("draft written") }
    let loggingOut = Task { await account.logOut() }
    for caller in callers { await #expect(throws: JobRejection.withdrawn) { try await caller.value } }
    gate.open()
    await loggingOut.value
    try await reader.value
    #expect(log.entries == ["stored", "wiped"])
    await #expect(throws: JobRejection.closed) { try await account.token.value() }
    await #expect(throws: JobRejection.closed) { try await account.notes.write {} }
    await #expect(throws: JobRejection.closed) { try await account.profiles.value(for: "ann") { Profile(name: "") } }
    await #expect(throws: JobRejection.closed) { try await account.feed.reload(.init()) }
    #expect(log.entries == ["stored", "wiped"])
  }

  /// Fails if: a log-out lets a draft run, or `shutDown` with a limit loses one.
  @Test func lastWords() async throws {
    for isWritten in [true, false] {
      let (account, written) = (account(), Log())
      account.notes.submitWrite(latest: "a", touching: ["a"], after: .seconds(1)) { written("a") }
      if isWritten { await LoggingOutUse.lastWords(account.notes) }
      await account.logOut()
      #expect(written.entries == (isWritten ? ["a"] : []))
    }
  }

  /// Fails if: a log-out in a cancelled task ends before what runs has ended.
  @Test func aLogOutInACancelledTask() async throws {
    let account = account()
    let caller = Task { try await account.token.value() }
    await gate.waitForArrivals()
    let loggingOut = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await account.logOut()
    }
    _ = await caller.result
    #expect(log.entries.isEmpty)
    gate.open()
    await loggingOut.value
    #expect(log.entries == ["stored", "wiped"])
  }

  /// Fails if: a job that awaits its own log-out hangs, or is not cancelled, or one that does not await it is not logged out.
  @Test func fromInsideAJob() async throws {
    let account = account()
    let job = Task {
      try await account.notes.write {
        await account.logOut()
        #expect(Task.isCancelled && account.notes.snapshot.running == 1)
      }
    }
    try await job.value
    #expect(log.entries == ["wiped"])
    let (other, sessions) = (self.account(), LoggingOutUse.Sessions())
    LoggingOutUse.fromInside(other, Refusing(), sessions)
    try await other.notes.drain()
    await sessions.loggingOut?.value
    #expect(log.entries == ["wiped", "wiped"])
    #expect(other.notes.snapshot.isClosed && other.notes.snapshot.running == 0)
  }

  /// What the article says of a user who signs in again without having logged out.
  ///
  /// Fails if: callers that wait do not get what the sign-in has returned, or what an older renewal returns is kept.
  @Test func signingInAgain() async throws {
    let account = account()
    let caller = Task { try await account.token.value() }
    await gate.waitForArrivals()
    account.token.replace(with: Renewed(Token(text: "signed in"), validFor: .seconds(86_400)))
    #expect(try await caller.value.text == "signed in")
    gate.open()
    try await account.token.drain()
    #expect(try await account.token.value().text == "signed in")
  }
}
