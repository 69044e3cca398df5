/// Plays scenes: callers at a desk, at moments that do not depend on how busy the machine is.
struct Staging {
  private let stopwatch: Stopwatch
  private let backend: Backend
  private let desk: any Desk
  private let endings = Endings()
  private let patience: Patience

  /// Makes a scene of its own, which begins now.
  ///
  /// - Parameters:
  ///   - takes: How long the backend needs for a call.
  ///   - patience: How long to wait for what should be so in no time.
  ///   - desk: Makes the desk, before that backend.
  init(takes: Duration, patience: Duration, desk: (Backend) -> any Desk) {
    stopwatch = Stopwatch()
    backend = Backend(takes: takes, stopwatch: stopwatch, patience: patience)
    self.desk = desk(backend)
    self.patience = Patience(limit: patience)
  }
}

// MARK: - Scenes

extension Staging {
  /// All ask at the same moment.
  func together(_ callers: [String]) async -> Scene {
    let arrivals = callers.map(arrive)
    await wait { await desk.waiting() == callers.count }
    await backend.release()
    return await scene(arrivals)
  }

  /// One prefetches; when the answer lies there, and a while has passed, the other asks.
  func prefetch(_ early: String, pause: Duration, _ late: String) async -> Scene {
    await backend.release()
    let asked = stopwatch.time
    desk.prefetch(early)
    let prefetch = Visit(caller: early, asked: asked, ended: stopwatch.time, ending: .prefetched)
    await wait { desk.stored() > 0 }
    try? await Task.sleep(for: pause)
    var scene = await scene([arrive(late)])
    scene.visits.insert(prefetch, at: 0)
    return scene
  }

  /// All ask at the same moment, and the first leaves after this time, while the backend works.
  func leave(_ callers: [String], after time: Duration) async -> Scene {
    let arrivals = callers.map(arrive)
    await wait { await desk.waiting() == callers.count }
    try? await Task.sleep(for: time)
    let cancelled = stopwatch.time
    arrivals[0].task.cancel()
    await wait { await endings.visits[callers[0]] != nil }
    await backend.release()
    var scene = await scene(arrivals)
    scene.visits[0].cancelledAt = cancelled
    return scene
  }
}

// MARK: - Callers

extension Staging {
  private struct Arrival {
    let caller: String
    let asked: Duration
    let task: Task<Void, Never>
  }

  /// How callers ended, by their names.
  private actor Endings {
    private(set) var visits: [String: Visit] = [:]

    func add(_ visit: Visit) { visits[visit.caller] = visit }
  }

  /// A caller asks now: where the system can, the place on the flight is taken before this returns.
  private func arrive(_ caller: String) -> Arrival {
    let asked = stopwatch.time
    let operation: @Sendable () async -> Void = { [desk, stopwatch, endings] in
      let ending: Visit.Ending
      do { ending = .answered(try await desk.ask(caller)) } catch is CancellationError {
        ending = .left
      } catch { ending = .failed("\(error)") }
      await endings.add(Visit(caller: caller, asked: asked, ended: stopwatch.time, ending: ending))
    }
    let task: Task<Void, Never> =
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        .immediate(name: caller, operation: operation)
      } else { Task(name: caller, operation: operation) }
    return Arrival(caller: caller, asked: asked, task: task)
  }

  /// Waits for those who came, but not for ever: a caller that is never answered is what a wrong library would leave.
  private func scene(_ arrivals: [Arrival]) async -> Scene {
    // The backend is patient as long again.
    try? await Patience(limit: backend.takes + patience.limit * 2).wait { await endings.visits.count == arrivals.count }
    let ended = await endings.visits
    let visits = arrivals.map { arrival in
      ended[arrival.caller]
        ?? Visit(caller: arrival.caller, asked: arrival.asked, ended: stopwatch.time, ending: .stillWaiting)
    }
    return Scene(visits: visits, calls: await backend.calls)
  }

  private func wait(until isSo: () async -> Bool) async {
    // The demonstration is never cancelled, so it cannot throw.
    try? await patience.wait(until: isSo)
  }
}
