import SerialTasksFenced

extension AccessConformance {
  func checkNumbers(_ access: @escaping @Sendable () async throws -> Access) async throws {
    let key = key()
    var last: UInt64?
    for _ in 1...5 {
      let number = try await within("the key is free, but access to it was not granted") {
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
    try await within("\(clients) clients requested a key, but not all of them got it") {
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
    if count != clients * 25 { throw Broken("\(clients * 25) calls returned, but \(count) turns ran") }
  }

  func checkFailedTurn() async throws {
    let (key, access) = (key(), try await access())
    try await within("a turn threw, but its call did not return") {
      do {
        try await access.withAccess(to: key) { _ in throw TurnError() }
        throw Broken("a turn threw, but its call returned normally")
      } catch is TurnError {}
    }
    try await expectFree(key, "a turn threw, and its key was not released")
  }

  func checkKeptFence() async throws {
    for fails in [false, true] { try await checkKeptFence(ofTurnThatThrows: fails) }
  }

  private func checkKeptFence(ofTurnThatThrows fails: Bool) async throws {
    let (key, access) = (key(), try await access())
    let kept = Shared<Fence?>(nil)
    func expectLost(_ when: String) throws {
      if (try? kept.with { $0! }.check()) != nil {
        throw Broken("a fence was kept for longer than its turn, but check() did not throw \(when)")
      }
    }
    try await within("the key is free, but access to it was not granted") {
      do {
        try await access.withAccess(to: key) { fence in
          do { try fence.check() } catch { throw Broken("check() of a fence threw during its turn: \(error)") }
          kept.with { $0 = fence }
          if fails { throw TurnError() }
        }
      } catch is TurnError {}
    }
    if kept.with({ $0 }) == nil { throw Broken("the call returned, but its turn did not run") }
    try expectLost("after the call had returned")
    let holder = try await hold(key)
    try expectLost("during the next turn")
    holder.held.release()
    try await end(holder.task)
  }

  func checkCancelledWaiter() async throws {
    let (key, client) = (key(), try await access())
    let holder = try await hold(key)
    let waiter = Held()
    waiter.release()
    let waiting = try await begin(key, waiter, as: client)
    try await letOthersPass()
    waiting.cancel()
    let result = try await within("a caller was cancelled while it waited, but did not stop waiting") {
      await waiting.result
    }
    if waiter.number != nil { throw Broken("a caller was cancelled while it waited, but its turn ran") }
    switch result {
    case .success: throw Broken("a caller was cancelled while it waited, but its call did not throw")
    case .failure(let error) where !(error is CancellationError):
      throw Broken("a caller was cancelled while it waited, but its call threw \(error) instead of CancellationError")
    case .failure: break
    }
    holder.held.release()
    try await end(holder.task)
    try await expectFree(key, "a waiting caller left, and the key was not granted again")
    // From the same client, which would still have what the waiter left behind.
    _ = try await within("a waiting caller left, and its client did not get the key again") {
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
      if !isOver.with({ $0 }) { throw Broken("a turn ran before the turn of a cancelled holder had ended") }
    }
    // Meanwhile, the other call could be granted.
    try await letOthersPass()
    isOver.with { $0 = true }
    holder.held.release()
    _ = await holder.task.result
    try await end(following)
  }

  func checkKilledHolder(_ kill: @escaping @Sendable (Access.Key) async throws -> UInt64) async throws {
    let key = key()
    let killed = try await within("killHolder did not return") { try await kill(key) }
    let number = try await expectFree(key, "the holder was killed, but its key was not granted")
    if number <= killed { throw Broken("fence \(number) was granted after the killed holder's \(killed)") }
  }

  func checkPausedHolder(_ expire: @escaping @Sendable (Access.Key) async throws -> Void) async throws {
    let key = key()
    let holder = try await hold(key)
    let number = holder.held.number!
    try await within("expireHolder did not return") { try await expire(key) }
    let next = try await expectFree(key, "the holder lost its key, but the key was not granted to another client")
    // The paused holder reads and writes too late: after the next holder has read what it will write back.
    var store = FencedStore()
    try store.read(number)
    try? store.read(next)
    let readsLate = (try? store.read(number)) != nil
    try? store.write(number)
    try? store.write(next)
    if store.writes != [next] || readsLate {
      throw Broken("a store cannot reject the late write: fence \(next) was granted after \(number)")
    }
    try await within("a holder lost its key, but check() of its fence did not throw") {
      while (try? holder.held.check()) != nil { try await Task.sleep(for: .milliseconds(5)) }
    }
    holder.held.release()
    _ = try await within("a holder lost its key, but its call did not return") { await holder.task.result }
  }

  func checkEngine(
    _ stop: @escaping @Sendable () async throws -> Void, _ start: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (key, access) = (key(), try await access())
    let before = try await within("the key is free, but access to it was not granted") { try await number(access, key) }
    try await within("stopEngine did not return") { try await stop() }
    let isAway = Shared(true)
    let asking = Task {
      try await access.withAccess(to: key) { _ in
        if isAway.with({ $0 }) { throw Broken("a turn began while the engine was stopped") }
      }
    }
    // The call may fail at once, or wait until the engine is back.
    for _ in 1...1_000 { await Task.yield() }
    isAway.with { $0 = false }
    try await within("startEngine did not return") { try await start() }
    let result = try await within("a call made while the engine was stopped did not return") { await asking.result }
    if case .failure(let broken as Broken) = result { throw broken }
    let after = try await expectFree(key, "the engine was started again, but access was not granted")
    if after <= before { throw Broken("fence \(after) was granted after \(before), across a restart") }
  }
}
