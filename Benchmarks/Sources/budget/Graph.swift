import SerialTasks

// What deadlock detection costs: callers that hold a turn while they ask for another, compared with callers that do not.

/// A free line, asked for inside a turn of another.
func freeLineInside(calls: Int) async -> Double {
  let (outer, inner) = (SerialTaskExecutor(), SerialTaskExecutor())
  let counter = Counter()
  return await nanoseconds(per: calls) {
    try! await outer.enqueue {
      for _ in 0..<calls { try! await inner.enqueue { await work(counter) } }
    }
  }
}

/// `count` callers wait for one line, each in the turn of a line of its own, or after it.
func waiting(_ count: Int, holding: Bool) async -> Double {
  let shared = SerialTaskExecutor()
  let own = (0..<count).map { _ in SerialTaskExecutor() }
  return await nanoseconds(per: count) {
    shared.pause()
    await withTaskGroup { group in
      for own in own {
        group.addTask {
          try! await own.enqueue {
            await job()
            if holding { try! await shared.enqueue { await job() } }
          }
          if !holding { try! await shared.enqueue { await job() } }
        }
      }
      while shared.snapshot.waiting < count { await Task.yield() }
      shared.resume()
    }
  }
}
