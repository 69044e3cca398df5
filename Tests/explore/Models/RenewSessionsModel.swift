import CoalescingTasks

/// Sign-ins and log-outs: no value of one session is returned in the next, and nothing runs once all has ended.
struct RenewSessionsModel: Model {
  static let name = "renew-sessions"
  static let about = "callers and renewals, while values are put in, cleared, closed, drained and shut down"
  static let mustMeet = ["a newer session", "closed", "withdrawn", "failed", "spared", "ended by force", "waited for"]

  enum Ending: CaseIterable { case none, close, closeAndClear, shutDown }

  let world: World
  let log: SessionLog

  init(_ world: World) {
    self.world = world
    log = SessionLog(world)
  }

  func start() {
    for name in ["a", "b", "c"].prefix(world.size(1...3, tiny: 1...2)) {
      let (calls, steps) = (world.size(1...3, tiny: 1...1), world.random.below(3))
      let task = world.spawn(name) { [world, log] in
        await world.steps(steps)
        for call in 1...calls { await log.call("\(name)\(call)") }
      }
      if world.random.once(in: 4) { world.cancelAnywhere(name, task) }
    }
    let sessions = world.size(0...2, tiny: 0...1)
    let clears = world.random.once(in: 3)
    world.spawn("sign-in") { [world, log] in
      for session in 0..<sessions {
        await world.steps(2)
        log.signIn(session + 1)
      }
      if clears { log.clear() }
    }
    let ending = Ending.allCases[world.random.below(Ending.allCases.count)]
    let (steps, limit) = (world.random.below(5), world.random.below(4))
    world.spawn("log-out") { [world, log] in
      await world.steps(steps)
      await log.end(ending, limit: limit)
    }
  }

  func check() { world.expect(log.running == 0, "nothing runs in the end") }
}

/// Keeps account of the sessions of one renewing value.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class SessionLog: @unchecked Sendable {
  struct Token: Sendable { let session: Int }
  struct Fault: Error {}

  enum Caller { @TaskLocal static var wasClosed = false }

  let world: World
  private var token: RenewingValue<Token>!
  private(set) var running = 0
  /// What has certainly been put in.
  private var session = 0
  private var clears = 0
  /// Before and after the calls.
  private var (mayBeClosed, isClosed, mayBeCleared, isOver) = (false, false, false, false)

  init(_ world: World) {
    self.world = world
    let pause: Duration? = world.random.once(in: 2) ? .milliseconds(world.random.within(1...8)) : nil
    let works = (0..<16).map { _ in (steps: world.random.below(4), fails: world.random.once(in: 4)) }
    token = RenewingValue(
      name: "session", pauseAfterFailure: pause, clock: FlightClock(world, isHesitant: false),
      renew: { [unowned self] in try await renew($0, works) })
    world.watch(token, "the value")
    world.probeLock { [unowned token] in _ = token?.snapshot }
  }

  private var renewals = 0
  private var failures = 0

  private func renew(_ previous: Token?, _ works: [(steps: Int, fails: Bool)]) async throws -> Renewed<Token> {
    running += 1
    renewals += 1
    let work = works[renewals % works.count]
    world.note("renewal \(renewals)", "begins", "session \(previous?.session ?? 0)")
    world.expect(!Caller.wasClosed, "no renewal begins for a call after close()")
    world.expect(!isOver, "none runs after drain()")
    await world.steps(work.steps)
    running -= 1
    world.expect(!isOver, "none runs after drain()")
    if work.fails {
      failures += 1
      throw Fault()
    }
    return Renewed(Token(session: previous?.session ?? 0), validFor: .milliseconds(work.steps * 3))
  }

  func call(_ name: String) async {
    let (floor, wasClosed, failures, clears) = (session, isClosed, failures, clears)
    world.note(name, "asks")
    do {
      let value = try await Caller.$wasClosed.withValue(wasClosed) { try await token.value() }
      world.note(name, "has a value", "of session \(value.session)")
      let isOlder = value.session < floor && clears == self.clears
      world.expect(!isOlder, "no value of an older session is returned", name)
      world.expect(!wasClosed, "a closed value rejects every call", name)
      if value.session > floor { world.meet("a newer session") }
    } catch JobRejection.closed {
      world.expect(mayBeClosed, "no call is rejected for what did not happen", name)
      world.meet("closed")
    } catch JobRejection.withdrawn {
      world.expect(mayBeCleared, "no call is rejected for what did not happen", name)
      world.meet("withdrawn")
    } catch is CancellationError {
      // A renewal that was cancelled throws nothing of its own.
      world.expect(Task.isCancelled, "only a cancelled caller sees that", name)
    } catch {
      world.expect(!wasClosed, "a closed value rejects every call", name)
      world.meet(failures == self.failures ? "spared" : "failed")
    }
  }

  func signIn(_ number: Int) {
    world.note("session \(number)", "begins")
    token.replace(with: Renewed(Token(session: number), validFor: .milliseconds(4)))
    session = number
  }

  /// What was put in is forgotten too.
  func clear() {
    world.note("token", "is cleared")
    (mayBeCleared, session, clears) = (true, 0, clears + 1)
    token.clear()
  }

  func end(_ ending: RenewSessionsModel.Ending, limit: Int) async {
    if ending == .none { return }
    mayBeClosed = true
    world.note("log-out", "begins")
    if ending == .shutDown {
      mayBeCleared = true
      if await !token.shutDown(within: .milliseconds(limit)) { world.meet("ended by force") }
    } else {
      token.close()
      isClosed = true
      if ending == .closeAndClear { clear() }
      if running > 0 { world.meet("waited for") }
      do { try await token.drain() } catch { world.expect(false, "a drain that nobody cancels ends", "\(error)") }
    }
    world.expect(running == 0, "when drain() has returned, no renewal runs")
    isOver = true
    world.note("log-out", "ends")
  }
}
