import Comparing

extension Contender {
  /// That many callers at once: the nanoseconds of one round.
  static func playCallers(_ depth: Int, _ work: Work, on context: Context) async -> Double {
    let contender = Self()
    return await nanoseconds { await contender.callers(depth, work, on: context) }
  }

  func callers(_ depth: Int, _ work: Work, on context: Context) async {
    let call = context.here { await self.enqueue(work) }
    await withTaskGroup { group in
      for _ in 0..<depth { group.addTask(operation: call) }
    }
  }
}

extension Submitting {
  /// That many jobs from one synchronous loop, until the last has run.
  static func playSubmissions(_ depth: Int, _ work: Work, on context: Context) async -> Double {
    let contender = Self()
    return await nanoseconds {
      await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
        let countdown = Countdown(depth)
        let submitAll: @Sendable () -> Void = {
          for _ in 0..<depth { contender.submit(work) { if countdown.isLast() { done.resume() } } }
        }
        if context == .pool { submitAll() } else { Task { @MainActor in submitAll() } }
      }
    }
  }
}

extension Leavable {
  /// All who wait are cancelled, the last first, which is the worst order for an array that is searched from its front.
  static func playLeaving(_ depth: Int, on context: Context) async -> Double {
    let contender = Self()
    await contender.block()
    let call = context.here { await contender.enqueueOrLeave() }
    let tasks = (0..<depth).map { _ in Task(operation: call) }
    while await contender.waiting < depth { await Task.yield() }
    return await nanoseconds {
      for task in tasks.reversed() { task.cancel() }
      for task in tasks { await task.value }
    }
  }
}
