import CoalescingTasks

/// Where results are applied in models: an actor that is not the main one.
@globalActor actor ExploredScreen { static let shared = ExploredScreen() }

/// A reloader, and what is known from outside of who asked, what ran, and what was applied.
///
/// Every request has a number and is the reason of one load at most, so loads are known by the request that they run for.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class ReloadLog: @unchecked Sendable {
  struct Reason: ReloadReason, CustomStringConvertible {
    let request: Int
    let policy: ReloadPolicy
    var description: String { "\(request)" }
  }

  final class LoadError: Error {}

  struct Request {
    let name: String
    let policy: ReloadPolicy
    let waits: Bool
    /// What its load does, if it has one.
    let steps: Int
    let fails: Bool
    /// Moments, as below.
    var asked: Int
    var boarded: Int?
    var cancelled: Int?
    var answered: Int?
  }

  /// A load, by the request that it runs for.
  struct Load {
    var place: UInt64 = 0
    var entered = 0
    var hasEnded = false
    var error: LoadError?
    var applied: Int?
    /// The last moment at which it ran and no task was in the middle of anything.
    var quiet = 0
    /// While its operation runs.
    var task: UnsafeCurrentTask?
  }

  let world: World
  private(set) var reloader: Reloader<Reason, Int>!
  var requests: [Request] = []
  var loads: [Int: Load] = [:]
  /// When `cancel()` was called, and when it had returned.
  var cancels: [(began: Int, ended: Int?)] = []
  var lastApplied: UInt64 = 0
  private(set) var isApplying = false
  private var moment = 0

  init(_ world: World) {
    self.world = world
    let load: @Sendable (Reason) async throws -> Int = { [unowned self] in try await self.fly($0) }
    let report: @Sendable (TaskEvent) -> Void = { [unowned self] in self.report($0) }
    if world.random.once(in: 2) {
      reloader = Reloader(
        name: "screen", load: load, apply: { @ExploredScreen [unowned self] in self.apply($0) }, onEvent: report)
    } else {
      reloader = Reloader(name: "screen", load: load, apply: { [unowned self] in self.apply($0) }, onEvent: report)
    }
    world.watch(reloader, "the reloader")
    world.probeLock { [unowned reloader] in _ = reloader?.snapshot }
  }

  /// The next moment.
  func tick() -> Int {
    moment += 1
    return moment
  }

  private func report(_ event: TaskEvent) {
    world.point()
    guard case .began = event.kind, let request = event.job.flatMap({ Int($0) }) else {
      if case .waiting = event.kind { world.meet("followed") }
      if case .joined = event.kind { world.meet("joined") }
      return
    }
    loads[request, default: Load()].place = event.place ?? 0
  }
}

// MARK: - The calls that models make

extension ReloadLog {
  /// Asks, and waits if it is to.
  func ask(_ name: String, _ policy: ReloadPolicy, waits: Bool, steps: Int, fails: Bool) async {
    world.note(name, waits ? "reloads" : "requests", "\(policy)")
    let number = requests.count
    requests.append(
      Request(name: name, policy: policy, waits: waits, steps: steps, fails: fails, asked: tick()))
    if Task.isCancelled { requests[number].cancelled = tick() }
    let reason = Reason(request: number, policy: policy)
    guard waits else {
      reloader.request(reason)
      requests[number].boarded = tick()
      return
    }
    do {
      let load = try await reloader.reload(reason)
      returns(number, load)
    } catch { isRefused(number, error) }
  }

  /// Cancels the task that asks wherever the strategy places it.
  func cancelAnywhere(_ task: Task<Void, Never>, _ name: String) {
    world.cancelAnywhere(name, task) {
      for request in self.requests.indices where self.requests[request].name == name {
        if self.requests[request].cancelled == nil { self.requests[request].cancelled = self.tick() }
      }
    }
  }

  func cancel() {
    world.note("screen", "is left")
    let index = cancels.count
    cancels.append((began: tick(), ended: nil))
    if reloader.snapshot.running > 0 { world.meet("cancelled") }
    reloader.cancel()
    cancels[index].ended = tick()
  }
}

// MARK: - A load, from its first instruction to its application

extension ReloadLog {
  private func fly(_ reason: Reason) async throws -> Int {
    let number = reason.request
    world.note(requests[number].name, "loads", "\(number)")
    world.expect(loads[number]?.entered == 0, "one operation a load, and reported before it begins", "\(number)")
    loads[number]?.entered = tick()
    loads[number]?.task = withUnsafeCurrentTask { $0 }
    if world.isQuiet, !Task.isCancelled {
      // Of one that all callers have left, the last has yet to cancel the operation.
      let others =
        requests.contains { $0.cancelled != nil }
        ? [:] : loads.filter { $0.key != number && $0.value.entered > 0 && !$0.value.hasEnded }
      let areEnded = others.allSatisfy { $0.value.task?.isCancelled ?? true }
      world.expect(areEnded, "one load at a time, but for those that wind down", "\(number)")
    }
    world.point()
    for _ in 0..<requests[number].steps {
      await world.step()
      look(number)
    }
    loads[number]?.hasEnded = true
    loads[number]?.task = nil
    guard requests[number].fails else { return number }
    let error = LoadError()
    loads[number]?.error = error
    throw error
  }

  /// What an operation sees when it goes on after a suspension.
  private func look(_ number: Int) {
    let asked = requests[number].asked
    if Task.isCancelled {
      let why =
        cancels.contains { ($0.ended ?? .max) > asked }
        || requests.contains { $0.policy == .supersede && ($0.boarded ?? .max) > asked }
        || requests.contains { $0.cancelled != nil }
      world.expect(why, "a load is cancelled only when it is not wanted", "\(number)")
    }
    guard world.isQuiet else { return }
    loads[number]?.quiet = tick()
    // What all callers have left is cancelled by the last of them, when that goes on.
    guard !requests.contains(where: { $0.cancelled != nil }), let why = ending(of: number) else { return }
    world.expect(Task.isCancelled, "what \(why) is cancelled", "\(number)")
  }

  /// What has certainly put an end to the load before it was applied.
  func ending(of number: Int) -> String? {
    guard let boarded = requests[number].boarded ?? loads[number]?.entered else { return nil }
    if cancels.contains(where: { $0.ended != nil && $0.began > boarded }) { return "was cancelled" }
    let isSuperseded = requests.indices.contains {
      $0 != number && requests[$0].policy == .supersede && requests[$0].asked > boarded && hasBoarded($0)
    }
    return isSuperseded ? "was superseded" : nil
  }

  /// A caller that waits is only known to have boarded when its load has begun.
  private func hasBoarded(_ number: Int) -> Bool {
    requests[number].boarded != nil || (loads[number]?.entered ?? 0) > 0
  }

  private func apply(_ number: Int) {
    world.note(requests[number].name, "is applied", "\(number)")
    let load = loads[number] ?? Load()
    world.expect(load.applied == nil, "a load lands once", "\(number)")
    world.expect(load.hasEnded && load.error == nil, "what lands is what a load returned", "\(number)")
    world.expect(load.place > lastApplied, "no older result after a newer one", "\(number)")
    world.expect(!isApplying, "one result at a time", "\(number)")
    if let why = ending(of: number) { world.expect(false, "what \(why) does not land", "\(number)") }
    lastApplied = load.place
    isApplying = true
    world.point()
    isApplying = false
    loads[number]?.applied = tick()
  }
}
