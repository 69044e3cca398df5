/// Plays scenes: callers at a desk, at moments that do not depend on how busy the machine is.
struct Staging {
  private let stopwatch: Stopwatch
  private let backend: Backend
  private let desk: any Desk
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
    let visits = callers.map(visit)
    await wait { await desk.waiting() == callers.count }
    await backend.release()
    return await scene(visits)
  }

  /// One prefetches; when the answer lies there, and a while has passed, the other asks.
  func prefetch(_ early: String, pause: Duration, _ late: String) async -> Scene {
    await backend.release()
    let asked = stopwatch.time
    desk.prefetch(early)
    let prefetch = Visit(caller: early, asked: asked, ended: stopwatch.time, ending: .prefetched)
    await wait { desk.stored() > 0 }
    try? await Task.sleep(for: pause)
    let visit = await visit(late).value
    return Scene(visits: [prefetch, visit], calls: await backend.calls)
  }

  /// All ask at the same moment, and the first leaves after this time, while the backend works.
  func leave(_ callers: [String], after time: Duration) async -> Scene {
    let visits = callers.map(visit)
    await wait { await desk.waiting() == callers.count }
    try? await Task.sleep(for: time)
    let told = stopwatch.time
    visits[0].cancel()
    _ = await visits[0].value
    await backend.release()
    var scene = await scene(visits)
    scene.visits[0].toldToLeave = told
    return scene
  }
}

// MARK: - Callers

extension Staging {
  /// Somebody who asks now: where the system can, the place on the flight is taken before this returns.
  private func visit(_ caller: String) -> Task<Visit, Never> {
    let operation: @Sendable () async -> Visit = { [desk, stopwatch] in
      let asked = stopwatch.time
      let ending: Visit.Ending
      do { ending = .answered(try await desk.ask(caller)) } catch is CancellationError {
        ending = .left
      } catch { ending = .failed("\(error)") }
      return Visit(caller: caller, asked: asked, ended: stopwatch.time, ending: ending)
    }
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate(name: caller, operation: operation)
    }
    return Task(name: caller, operation: operation)
  }

  private func scene(_ visits: [Task<Visit, Never>]) async -> Scene {
    var ended: [Visit] = []
    for visit in visits { ended.append(await visit.value) }
    return Scene(visits: ended, calls: await backend.calls)
  }

  private func wait(until isSo: () async -> Bool) async {
    // Nobody cancels the demonstration, so it cannot throw.
    try? await patience.wait(until: isSo)
  }
}
