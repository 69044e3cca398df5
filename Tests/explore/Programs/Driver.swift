import SerialTasks
@_spi(Testing) import SerialTasksTesting

/// Makes calls to an executor, and tells the account of them and of all that comes of them.
struct Driver<S: Subject>: Sendable {
  let world: World
  let account: Account
  let subject: S

  init(_ world: World, _ options: Program.Options = Program.Options()) {
    let account = Account(world, options)
    let relay = Relay(account)
    let subject = S(world, options, account.clock) { relay.account?.report($0) }
    (self.world, self.account, self.subject) = (world, account, subject)
    account.isGranted = { subject.isGranted($0) }
    account.isHeldElsewhere = { subject.isHeldElsewhere($0) }
    account.mismatch = { subject.mismatch($0) }
    account.shelved = { subject.flights?.shelved ?? 0 }
    account.plan = options.plan.map { Plan($0, options) }
    account.planMismatch = { [unowned account] plan in subject.flights?.mismatch(plan) { account.name($0) } }
    subject.flights?.tell(account)
    account.failure = { subject.failure(of: $0) }
    account.fails = { subject.fails($0, $1, since: $2) }
    world.watch(relay, "what the executor's line holds")
  }

  /// Safe for the same reason as the account.
  private final class Relay: @unchecked Sendable {
    weak var account: Account?

    init(_ account: Account) { self.account = account }
  }

  /// Makes the call.
  ///
  /// - Parameters:
  ///   - call: What is called.
  ///   - inside: The jobs in whose turns it is made.
  ///   - body: What the job does besides; gets the jobs in whose turns that is.
  /// - Returns: The handle of what is submitted.
  @discardableResult
  func make(_ call: Call, inside: [Int] = [], _ body: @escaping @Sendable ([Int]) async -> Void = { _ in }) async
    -> Handle?
  {
    let job = account.ask(call, inside: inside)
    let turns = world.locked { account.entries[job].inside + [job] }
    let run: @Sendable () async throws -> Int = { try await account.run(job) { await body(turns) } }
    if let flights = subject.flights {
      await fly(call, job, flights, run)
      return nil
    }
    if call.way != .awaited { return submit(call, job, run) }
    do {
      // The last caller to leave a read cancels its task, which may wait inside the library.
      let value =
        try await call.touch.isShared
        ? world.calmly(!call.work.inside.isEmpty) { try await subject.read(call, run) } : subject.enqueue(call, run)
      account.answer(job, .success(value))
    } catch { account.answer(job, .failure(error)) }
    return nil
  }

  private func fly(
    _ call: Call, _ job: Int, _ flights: any Flights, _ run: @escaping @Sendable () async throws -> Int
  ) async {
    switch call.way {
    case .awaited:
      // It is known at which step such a caller leaves.
      let isCalm = account.plan.map { $0.kind != .renewals || $0.options.hasPolicies } ?? false
      do {
        // The last caller to leave cancels the operation's task, which may wait inside the library.
        let answer = try await world.calmly(account.options.isNested || isCalm) { try await flights.answer(call, run) }
        world.locked { account.entries[job].flight.source = answer.source }
        account.answer(job, .success(answer.value))
      } catch { account.answer(job, .failure(error)) }
    case .ahead:
      let mustStart = world.locked { account.mustStart(call.touch) }
      flights.start(call, run)
      let hasStarted = world.locked { account.entries[job].begins > 0 }
      account.expect(
        hasStarted || !mustStart, "a prefetch starts where nothing runs and nothing is kept", call.name)
      account.checkPlan()
    case .submitted, .detached: flights.ask(call, run) { account.answer(job, $0) }
    }
  }

  private func submit(_ call: Call, _ job: Int, _ run: @escaping @Sendable () async throws -> Int) -> Handle {
    let handle = subject.submit(call, run)
    world.locked { account.entries[job].hasHandle = true }
    handle.whenComplete { account.answer(job, $0) }
    // Only now: a job that was rejected at once has no place, and the account knows that.
    if !call.touch.isShared {
      world.locked { account.entries[job].placed = account.entries[job].placed ?? account.tick() }
    }
    for (index, priority) in call.awaited.enumerated() {
      let name = "waiter \(index + 1) of \(call.name)"
      world.spawn(name, priority: priority) { await wait(for: handle, as: name, inside: []) }
    }
    if let steps = call.cancelledAfter {
      world.spawn("canceller of \(call.name)") {
        await world.steps(steps)
        await world.calmly(!call.work.inside.isEmpty) { account.cancelHandle(job, handle) }
      }
    }
    return handle
  }

  func wait(for handle: Handle, as name: String, inside: [Int]) async {
    if !inside.isEmpty { world.locked { _ = account.awaitedInside.insert(handle.name) } }
    world.note(name, "awaits", "\(handle.name) at \(Task.currentPriority.rawValue)")
    let result = await account.awaiting(handle.name) { await handle.result() }
    world.note(name, "has awaited", handle.name)
    account.isTold(handle.name, result, inside: inside)
  }
}
