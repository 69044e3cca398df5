import CoalescingTasks

/// A way for reads and writes to get to their backend.
package enum Way: String, CaseIterable, Sendable {
  /// Writes that touch their key alone, and writes that touch every key.
  case touching, coalescing
  case serial, actor

  /// Plays all calls at once; returns the time of each, and how often the backend was called.
  package func play(
    _ calls: [Call] = Call.all, takes: Duration, onMainActor: Bool = false
  ) async -> (nanoseconds: Double, calls: Int) {
    let backend = Backend(takes: takes)
    let path = Path(way: self, backend: backend)
    let elapsed = await ContinuousClock().measure {
      await withTaskGroup { group in
        for call in calls {
          group.addTask(operation: path.caller(call, onMainActor: onMainActor))
        }
      }
    }
    let (seconds, attoseconds) = elapsed.components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    return (nanoseconds / Double(calls.count), await backend.calls)
  }
}

/// One run's way to one backend.
private struct Path: Sendable {
  let way: Way
  let backend: Backend
  let repository = CoalescingTaskExecutor<Int>()
  let line = SerialTaskExecutor()

  func caller(_ call: Call, onMainActor: Bool) -> @isolated(any) @Sendable () async -> Void {
    if onMainActor { return { @MainActor in await make(call) } }
    return { await make(call) }
  }

  nonisolated(nonsending) func make(_ call: Call) async {
    switch way {
    case .touching where call.isWrite:
      _ = try! await repository.write(touching: [call.key]) { await backend.call() }
    case .coalescing where call.isWrite: _ = try! await repository.write { await backend.call() }
    case .touching, .coalescing: _ = try! await repository.read(call.key) { [backend] in await backend.call() }
    case .serial: _ = try! await line.enqueue { await backend.call() }
    case .actor: _ = await backend.call()
    }
  }
}
