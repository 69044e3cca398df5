import Comparing

@inline(never)
private func operation() async -> Int { 42 }

extension Contender {
  /// One caller after the other, each alone; `depth` is 1.
  static func playLeading(on context: Context) async -> Double {
    let contender = Self()
    let calls = jobsOfShortRound
    let callAll = context.here {
      for _ in 0..<calls { _ = await contender.value(for: 7) { await operation() } }
    }
    return await nanoseconds { await callAll() } / Double(calls)
  }

  /// That many callers of one key; the operation ends when all of them have come.
  static func playJoining(_ depth: Int, on context: Context) async -> Double {
    let contender = Self()
    let gate = Gate(room: shares ? 1 : depth)
    return await nanoseconds {
      await withTaskGroup { group in
        for _ in 0..<depth {
          contender.addCaller(of: 7, to: &group, on: context) {
            await gate.pass()
            return 42
          }
        }
        await contender.allHaveCome(depth, gate)
        gate.open()
      }
    }
  }

  /// That many callers, each of a key of its own.
  static func playKeys(_ depth: Int, on context: Context) async -> Double {
    let contender = Self()
    return await nanoseconds {
      await withTaskGroup { group in
        for key in 0..<depth { contender.addCaller(of: key, to: &group, on: context) { await operation() } }
      }
    }
  }

  /// That many callers of one key, all of whom are cancelled.
  static func playLeaving(_ depth: Int, on context: Context) async -> Double {
    let contender = Self()
    let parked = Countdown(shares ? 1 : depth)
    return await withTaskGroup(returning: Double.self) { group in
      for _ in 0..<depth {
        contender.addCaller(of: 7, to: &group, on: context) {
          _ = parked.isLast()
          await Parked().untilCancelled()
          return 42
        }
      }
      if shares { while await contender.callers < depth { await Task.yield() } }
      while !parked.isZero { await Task.yield() }
      return await nanoseconds {
        group.cancelAll()
        await group.waitForAll()
      }
    }
  }

  private func addCaller(
    of key: Int, to group: inout TaskGroup<Void>, on context: Context,
    _ operation: @escaping @Sendable () async -> Int
  ) {
    group.addTask(operation: context.here { _ = await self.value(for: key, operation) })
  }

  private func allHaveCome(_ depth: Int, _ gate: Gate) async {
    if Self.shares { while await callers < depth { await Task.yield() } }
    while gate.waiting < (Self.shares ? 1 : depth) { await Task.yield() }
  }
}
