import SerialTasks

/// Plays a random program on an executor, and lets the account judge what happens.
struct ProgramModel<S: Subject>: Model {
  static var name: String { S.name }
  static var about: String { S.about }
  static var mustMeet: [String] { S.mustMeet }

  let world: World
  let program: Program
  let driver: Driver<S>

  init(_ world: World) { self.init(world, S.surface) }

  init(_ world: World, _ surface: Program.Surface) {
    self.world = world
    program = Program(world, surface)
    driver = Driver(world, program.options)
  }

  private var account: Account { driver.account }
  private var subject: S { driver.subject }

  func start() {
    for player in program.players {
      let task = world.spawn(player.name, priority: player.priority) {
        await play(player.acts, as: player.name, inside: [])
      }
      if player.isCancelled {
        let calls = names(of: player.acts)
        world.cancelAnywhere(player.name, task) { account.cancels(player.name, calls) }
      }
    }
  }

  /// The calls that the task itself waits for.
  private func names(of acts: [Act]) -> Set<String> {
    acts.reduce(into: []) { names, act in
      if case .call(let call) = act, call.way == .awaited { names.insert(call.name) }
    }
  }

  private func play(_ acts: [Act], as name: String, inside: [Int]) async {
    var handle: Handle?
    for act in acts {
      switch act {
      case .call(let call):
        let submitted = await driver.make(call, inside: inside) {
          await play(call.work.inside, as: call.name, inside: $0)
        }
        handle = submitted ?? handle
      case .await: if let handle { await driver.wait(for: handle, as: name, inside: inside) }
      case .awaitTwice(let steps): if let handle { await awaitTwice(handle, steps, as: name, inside: inside) }
      case .resume: if account.isPaused, subject.isPaused { resume() }
      case .pause(let steps, let sleeps): await pause(steps, sleeps, as: name, inside: inside)
      case .clear(let key): await calmly { account.cancelAll(key) { subject.cancelAll(key) } }
      case .invalidate(let key): account.invalidate(key) { subject.flights?.invalidate(key) }
      case .replace(let validity):
        account.replace(validFor: validity) { subject.flights?.replace(with: $0, validFor: validity) }
      case .drain(let key): await account.drain(name, key, inside: inside) { try await subject.drain(key) }
      case .close:
        world.note(name, "closes")
        account.close { subject.drainable.close() }
      case .shutDown(let limit):
        await calmly { await account.shutDown(name, limit, inside: inside, subject.drainable) }
      case .steps(let count): await world.steps(count)
      case .sleep(1): await account.rest()
      case .sleep(let time): await world.sleep(time)
      case .leap(let time): account.clock.leap(time)
      }
    }
  }

  private func awaitTwice(_ handle: Handle, _ steps: Int, as name: String, inside: [Int]) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await driver.wait(for: handle, as: "\(name), who stays", inside: inside) }
      group.addTask {
        await withTaskGroup(of: Void.self) { leaving in
          leaving.addTask { await driver.wait(for: handle, as: "\(name), who leaves", inside: inside) }
          await world.steps(steps)
          if account.isUnanswered(handle.name) { world.meet("two wait for a job, and one leaves") }
          leaving.cancelAll()
        }
      }
    }
  }

  /// For what may cancel a task that waits inside a job, or that holds access.
  private nonisolated(nonsending) func calmly<Result>(
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await world.calmly(program.options.isNested || program.options.hasEngine, body)
  }

  private func pause(_ steps: Int, _ sleeps: Bool, as name: String, inside: [Int]) async {
    // Two may hold the executor at once, and either lets it go: only the last word counts.
    let isFirst = world.locked {
      if account.isPaused || account.pauser != nil { return false }
      world.note("all", "is paused")
      if world.isReal { account.isPaused = true }
      return true
    }
    guard isFirst else { return }
    if steps % 2 == 1 {
      let wasCancelled = Task.isCancelled
      if !wasCancelled { world.locked { account.isPaused = true } }
      let isPaused = await account.pause(name, inside: inside) { try await subject.pauseAndWait() }
      account.expectExactly(!wasCancelled || !subject.isPaused, "a call that was cancelled before does not pause", name)
      if !isPaused { return resume() }
    } else {
      subject.pause()
      if !world.isReal { account.isPaused = true }
    }
    if sleeps { await account.rest() } else { await world.steps(steps) }
    resume()
  }

  private func resume() {
    world.note("all", "is resumed")
    // On real threads, a pause that begins meanwhile may be ended by this.
    let meanwhile = world.isReal ? 1 : 0
    world.locked {
      account.isResumed()
      account.resuming += meanwhile
    }
    subject.resume()
    world.locked { account.resuming -= meanwhile }
  }

  /// Returns whether what is left may be looked at, on real threads: all has ended, and what was kept is forgotten and released.
  func settles() -> Bool {
    if world.isBroken { return true }
    guard world.locked({ account.isSettled }) else { return false }
    forget()
    return subject.isReleased
  }

  /// No timer wakes for what is kept.
  private func forget() { subject.flights?.invalidate(nil) }

  func check() {
    forget()
    world.locked { account.check() }
    subject.check(world)
  }
}
