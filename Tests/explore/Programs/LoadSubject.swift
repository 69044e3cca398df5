import CoalescingTasks

/// Where results are applied: an actor that is not the main one.
@globalActor actor ExploredScreen { static let shared = ExploredScreen() }

/// What the calls of a program do, by name: a load or a renewal is run for one of them.
///
/// Safe because it is reached only from the one thread that the explorer uses.
final class Operations: @unchecked Sendable {
  weak var account: Account?
  var all: [String: @Sendable () async throws -> Int] = [:]

  func run(_ name: String) async throws -> Int {
    guard let operation = all.removeValue(forKey: name) else {
      account?.world.expect(false, "one operation a flight", name)
      throw CancellationError()
    }
    return try await operation()
  }
}

/// Loads of one screen: joined, followed, replaced, cancelled, and applied on an actor or anywhere.
struct LoadSubject: Subject, Flights {
  static let name = "load-programs"
  static let about = "random programs over loads: joining, following, replacing, leaving, landing one by one, log-outs"
  static let surface = Program.Surface(hasFlights: true, plan: .loads, keys: [])
  static let mustMeet = [
    "joined", "followed", "answered by a newer one", "never begun", "left", "withdrawn", "rejected",
  ]

  struct Reason: ReloadReason, CustomStringConvertible {
    let description: String
    let policy: SharingPolicy
  }

  private let reloader: Reloader<Reason, Int>
  private let operations = Operations()

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    let load: @Sendable (Reason) async throws -> Int = { [operations] in try await operations.run($0.description) }
    let apply: @Sendable (Int) -> Void = { [operations] in operations.account?.lands($0) }
    if world.random.once(in: 2) {
      reloader = Reloader(
        name: "screen", clock: clock, load: load, apply: { @ExploredScreen in apply($0) }, onEvent: report)
    } else {
      reloader = Reloader(name: "screen", clock: clock, load: load, apply: apply, onEvent: report)
    }
    world.watch(reloader, "the reloader")
    world.probeLock { [reloader] in _ = reloader.snapshot }
  }

  func tell(_ account: Account) { operations.account = account }

  nonisolated(nonsending) func answer(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int
  ) async throws -> (value: Int, source: CoalescedAnswer<FlightSubject.Value>.Source?) {
    operations.all[call.name] = operation
    return (try await reloader.reload(Reason(description: call.name, policy: call.policy)), nil)
  }

  func start(_ call: Call, _ operation: @escaping @Sendable () async throws -> Int) {
    operations.all[call.name] = operation
    reloader.request(Reason(description: call.name, policy: call.policy))
  }

  func cancelAll(_ key: String?) { reloader.cancel() }
  nonisolated(nonsending) func drain(_ key: String?) async throws { try await reloader.drain() }
  var drainable: any Drainable { reloader }

  func mismatch(_ counts: Counts) -> String? {
    let now = reloader.snapshot
    let isRight = now.running == counts.reading && now.waiting == counts.waiting && now.isClosed == counts.isClosed
    return isRight ? nil : "\(now)"
  }

  func mismatch(_ plan: Plan, _ name: (Int) -> String) -> String? {
    let now = reloader.snapshot
    let (running, next) = (plan.running().map { plan.flights[$0].job }, plan.trailing().map { plan.flights[$0].job })
    let isRight = now.reason?.description == running.map(name) && now.next?.description == next.map(name)
    return isRight ? plan.counts.flatMap { mismatch($0) } : "\(now) for \(running as Any) and \(next as Any)"
  }

  func check(_ world: World) { operations.all = [:] }
}

/// A value that is renewed ahead of its end, when it has ended or is rejected, for all who ask.
struct RenewalSubject: Subject, Flights {
  static let name = "renewal-programs"
  static let about =
    "random programs over a value: renewing, joining, leaving, rejecting, failing, log-ins and log-outs"
  static let surface = Program.Surface(hasFlights: true, plan: .renewals, keys: [])
  static let mustMeet = [
    "joined", "served", "renewed behind", "answered by a newer one", "a value from elsewhere", "spared", "left",
    "withdrawn", "rejected", "followed", "never begun",
  ]

  private let token: RenewingValue<Int>
  private let operations = Operations()
  private let clock: FlightClock

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    self.clock = clock
    token = RenewingValue(
      name: "value", renewAhead: .milliseconds(options.renewAhead),
      joinWindow: options.joinWindow.map { .milliseconds($0) },
      pauseAfterFailure: options.pauseAfterFailure.map { .milliseconds($0) }, clock: clock,
      renew: { [operations] previous in
        let (account, name) = (operations.account!, Account.Caller.name!)
        let validity = account.renews(name, previous)
        return Renewed(try await operations.run(name), validFor: .milliseconds(validity))
      }, onEvent: report)
    world.watch(token, "the value")
    world.probeLock { [token] in _ = token.snapshot }
  }

  func tell(_ account: Account) { operations.account = account }

  nonisolated(nonsending) func answer(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int
  ) async throws -> (value: Int, source: CoalescedAnswer<FlightSubject.Value>.Source?) {
    operations.all[call.name] = operation
    let rejected = operations.account!.rejected(by: call)
    let value = try await Account.Caller.$name.withValue(call.name) {
      if let rejected {
        try await token.value(insteadOf: rejected)
      } else {
        try await token.value(policy: call.policy)
      }
    }
    return (value, nil)
  }

  func ask(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    operations.all[call.name] = operation
    let rejected = operations.account!.rejected(by: call)
    Account.Caller.$name.withValue(call.name) {
      if let rejected {
        token.value(insteadOf: rejected, completion: completion)
      } else {
        token.value(policy: call.policy, completion: completion)
      }
    }
  }

  func replace(with value: Int, validFor validity: Int) {
    token.replace(with: Renewed(value, validFor: .milliseconds(validity)))
  }

  func cancelAll(_ key: String?) { token.clear() }
  nonisolated(nonsending) func drain(_ key: String?) async throws { try await token.drain() }
  var drainable: any Drainable { token }

  func mismatch(_ counts: Counts) -> String? {
    let now = token.snapshot
    let isRight = now.running == counts.reading && now.waiting == counts.waiting && now.isClosed == counts.isClosed
    return isRight ? nil : "\(now)"
  }

  func mismatch(_ plan: Plan, _ name: (Int) -> String) -> String? {
    let (now, remaining) = (token.snapshot, plan.remaining(at: clock.milliseconds))
    if now.remaining != remaining.map({ .milliseconds($0) }) { return "\(now) for \(remaining as Any)" }
    return plan.counts.flatMap { mismatch($0) }
  }

  func check(_ world: World) { operations.all = [:] }
}
