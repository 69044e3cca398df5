import SerialTasks

/// Makes calls to an executor, and tells the account of them and of all that comes of them.
struct Driver<S: Subject>: Sendable {
  let world: World
  let account: Account
  let subject: S

  init(_ world: World, _ options: Program.Options = Program.Options()) {
    let account = Account(world, options)
    let relay = Relay(account)
    let subject = S(world, options) { relay.account?.report($0) }
    (self.world, self.account, self.subject) = (world, account, subject)
    account.isGranted = { subject.isGranted($0) }
    account.mismatch = { subject.mismatch($0) }
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
    let turns = account.entries[job].inside + [job]
    let run: @Sendable () async throws -> Int = { try await account.run(job) { await body(turns) } }
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

  private func submit(_ call: Call, _ job: Int, _ run: @escaping @Sendable () async throws -> Int) -> Handle {
    let handle = subject.submit(call, run)
    account.entries[job].hasHandle = true
    handle.whenComplete { account.answer(job, $0) }
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
    world.note(name, "awaits", "\(handle.name) at \(Task.currentPriority.rawValue)")
    let result = await account.awaiting(handle.name) { await handle.result() }
    world.note(name, "has awaited", handle.name)
    account.isTold(handle.name, result, inside: inside)
  }
}
