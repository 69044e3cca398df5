import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  func order() async throws {
    let holder = await stage.hold()
    let before = exclusive("before")
    let pending = stage.start(work())
    let behind = exclusive("behind")
    #expect(desk.counts.waiting == 3)
    try await holder.release()
    await expect(pending, .value(1))
    _ = (try await before.value, try await behind.value)
    expectRan(["before", "work", "behind"])
    if settings.isObserved {
      #expect(settings.events.entries.first { $0.job == "work" && $0.kind.name == "waiting" }?.ahead == 2)
    }
    try await expectIdle()
    if way.has(.isDetached) { try await orderOfMany() }
  }

  /// Those that follow each other share tasks, but not one for all, which would never let others have its thread.
  private func orderOfMany() async throws {
    let (holder, tasks) = (await stage.hold(), Log<Int>())
    let pendings = (0..<300).map { number in
      stage.start(
        Work { () throws(WorkError) in
          tasks(withUnsafeCurrentTask { $0!.hashValue })
          return number
        })
    }
    try await holder.release()
    for (number, pending) in pendings.enumerated() { await expect(pending, .value(number)) }
    // Each task is made by the one before, so the two are never at the same address.
    #expect(zip(tasks.entries, tasks.entries.dropFirst()).count { $0 != $1 } == 1)
  }

  func overlap() async throws {
    let inside = Lock((now: 0, most: 0))
    @Sendable func pass() async {
      inside.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      await Task.yield()
      inside.withLock { $0.now -= 1 }
    }
    var pendings: [Pending] = []
    var others: [Task<Void, any Error>] = []
    for number in 0..<12 {
      if number.isMultiple(of: 3) {
        others.append(stage.exclusive(pass))
      } else {
        pendings.append(
          stage.start(
            Work { () throws(WorkError) in
              await pass()
              return 1
            }))
      }
    }
    for pending in pendings { await expect(pending, .value(1)) }
    for other in others { try await other.value }
    #expect(inside.withLock { $0.most } == 1)
  }

  func sharing() async throws {
    let gate = Gate()
    let first = stage.start(held(gate))
    await gate.waitForArrivals()
    let others = (2...3).map { stage.start(work(returning: $0)) }
    if !isInLine { #expect(desk.counts.waiting == 3) }
    // Who leaves takes nobody along, not even the first.
    if !way.has(.cannotLeave) {
      first.cancel()
      await expect(first, .rejected(.cancelled))
    }
    gate.open()
    if way.has(.cannotLeave) { await expect(first, .value(1)) }
    for other in others { await expect(other, .value(1)) }
    expectRan(["not cancelled"])
  }

  func paused() async throws {
    desk.pause()
    let pending = stage.start(work())
    #expect(desk.counts == Counts(waiting: 1))
    expectRan([])
    settings.clock.advance(by: .seconds(4))
    desk.resume()
    await expect(pending, .value(1))
    expectRan(["work"])
    if settings.isObserved {
      #expect(settings.events.entries.first { $0.kind.name == "began" }?.waited == .seconds(4))
    }
  }
}
