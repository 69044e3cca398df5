import SerialTasks
import SerialTasksFenced

extension AccessConformance {
  func checkNumbers(_ access: @escaping @Sendable () async throws -> Access) async throws {
    let key = key()
    var last: UInt64?
    for _ in 1...5 {
      let number = try await within("the key is free, and access to it is not granted") {
        try await self.number(try await access(), key)
      }
      if let last, number <= last { throw Broken("fence \(number) was granted after \(last)") }
      last = number
    }
  }

  func checkExclusion() async throws {
    let key = key()
    let turns = Shared(Turns())
    let clients = 4
    try await within("\(clients) clients ask for a key, and not all of them are granted it") {
      try await withThrowingTaskGroup { group in
        for _ in 1...clients {
          let access = try await access()
          group.addTask {
            for _ in 1...25 {
              try await access.withAccess(to: key) { fence in
                turns.with { $0.begin(fence.number) }
                for _ in 1...3 { await Task.yield() }
                turns.with { $0.end() }
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    let (wrong, count) = turns.with { ($0.wrong, $0.count) }
    if let wrong { throw Broken(wrong) }
    if count != clients * 25 { throw Broken("\(clients * 25) calls returned, and \(count) turns ran") }
  }

  func checkFailedTurn() async throws {
    let (key, access) = (key(), try await access())
    try await within("a turn throws, and the call does not return") {
      do {
        try await access.withAccess(to: key) { _ in throw TurnError() }
        throw Broken("a turn threw, and the call returned")
      } catch is TurnError {}
    }
    try await expectFree(key, "a turn threw, and its key is not released")
  }

  func checkKeptFence() async throws {
    for fails in [false, true] { try await checkKeptFence(ofTurnThatThrows: fails) }
  }

  private func checkKeptFence(ofTurnThatThrows fails: Bool) async throws {
    let (key, access) = (key(), try await access())
    let kept = Shared<Fence?>(nil)
    func expectLost(_ when: String) throws {
      if (try? kept.with { $0! }.check()) != nil {
        throw Broken("a fence was kept for longer than its turn, and does not say \(when) that it is lost")
      }
    }
    try await within("the key is free, and access to it is not granted") {
      do {
        try await access.withAccess(to: key) { fence in
          do { try fence.check() } catch { throw Broken("a turn runs, and its fence says: \(error)") }
          kept.with { $0 = fence }
          if fails { throw TurnError() }
        }
      } catch is TurnError {}
    }
    if kept.with({ $0 }) == nil { throw Broken("the call returned, and the turn did not run") }
    try expectLost("after the call has returned")
    let holder = try await hold(key)
    try expectLost("while the next turn runs")
    holder.held.release()
    try await end(holder.task)
  }

  func checkCancelledWaiter() async throws {
    let (key, client) = (key(), try await access())
    let holder = try await hold(key)
    let waiter = Held()
    // Its turn would end at once, if it ran.
    waiter.release()
    let waiting = try await begin(key, waiter, as: client)
    try await letOthersPass()
    waiting.cancel()
    let result = try await within("a caller was cancelled while it waited, and goes on waiting") {
      await waiting.result
    }
    if waiter.number != nil { throw Broken("the turn of a caller ran that was cancelled while another held the key") }
    switch result {
    case .success: throw Broken("a caller was cancelled while it waited, and its call did not throw")
    case .failure(let error) where !(error is CancellationError):
      throw Broken("a caller was cancelled while it waited, and \(error) was thrown instead of CancellationError")
    case .failure: break
    }
    holder.held.release()
    try await end(holder.task)
    try await expectFree(key, "a waiter has left, and the key is not granted any more")
    // Its client goes on, so what it has left behind does not vanish with it.
    _ = try await within("a waiter has left, and its client is not granted the key any more") {
      try await number(client, key)
    }
  }

  func checkCancelledHolder() async throws {
    let key = key()
    let holder = try await hold(key)
    holder.task.cancel()
    let next = Held()
    next.release()
    let isOver = Shared(false)
    let following = try await begin(key, next) {
      if !isOver.with({ $0 }) { throw Broken("a turn ran while that of a cancelled holder had not ended") }
    }
    // The holder goes on for a while, in which the other call would be granted.
    try await letOthersPass()
    isOver.with { $0 = true }
    holder.held.release()
    _ = await holder.task.result
    try await end(following)
  }

  func checkKilledHolder(_ kill: @escaping @Sendable (Access.Key) async throws -> UInt64) async throws {
    let key = key()
    let killed = try await within("the process that is to be killed does not end") { try await kill(key) }
    let number = try await expectFree(key, "the holder was killed, and its key is not granted")
    if number <= killed { throw Broken("fence \(number) was granted after the killed holder's \(killed)") }
  }

  func checkPausedHolder(_ expire: @escaping @Sendable (Access.Key) async throws -> Void) async throws {
    let key = key()
    let holder = try await hold(key)
    let number = holder.held.number!
    try await within("the holder cannot be made to lose its key") { try await expire(key) }
    let next = try await expectFree(key, "the holder has lost its key, and it is not granted to another")
    // The paused holder goes on, and reads and writes too late: when the next one has read what it will write back.
    var store = FencedStore()
    try store.read(number)
    try? store.read(next)
    let readsLate = (try? store.read(number)) != nil
    try? store.write(number)
    try? store.write(next)
    if store.writes != [next] || readsLate {
      throw Broken("a store cannot refuse the late write: fence \(next) was granted after \(number)")
    }
    try await within("a holder has lost its key, and its fence does not say so") {
      while (try? holder.held.check()) != nil { try await Task.sleep(for: .milliseconds(5)) }
    }
    holder.held.release()
    _ = try await within("a holder has lost its key, and its call does not end") { await holder.task.result }
  }

  func checkEngine(
    _ stop: @escaping @Sendable () async throws -> Void, _ start: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (key, access) = (key(), try await access())
    let before = try await within("the key is free, and access to it is not granted") { try await number(access, key) }
    try await within("the engine cannot be stopped") { try await stop() }
    let isAway = Shared(true)
    let asking = Task {
      try await access.withAccess(to: key) { _ in
        if isAway.with({ $0 }) { throw Broken("a turn began while the engine was away") }
      }
    }
    // It may fail at once, or wait until the engine is back.
    for _ in 1...1_000 { await Task.yield() }
    isAway.with { $0 = false }
    try await within("the engine cannot be started") { try await start() }
    let result = try await within("a call that was made while the engine was away does not end") { await asking.result }
    if case .failure(let broken as Broken) = result { throw broken }
    let after = try await expectFree(key, "the engine has come back, and access is not granted")
    if after <= before { throw Broken("fence \(after) was granted after \(before), when the engine had come back") }
  }
}
