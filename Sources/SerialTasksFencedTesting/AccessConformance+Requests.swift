import SerialTasksFenced

extension AccessConformance {
  func checkIndependence() async throws {
    let (mine, other) = (try await access(), try await access())
    let key = key()
    let holder = try await hold(key, as: mine)
    let waiter = Held()
    waiter.release()
    let waiting = try await begin(key, waiter, as: other)
    for access in [mine, other] {
      let free = self.key()
      try await within("while one key is held and waited for, another free key was not granted") {
        for _ in 1...3 { _ = try await number(access, free) }
      }
    }
    holder.held.release()
    try await end(holder.task)
    try await end(waiting)
  }

  func checkSeveralKeys() async throws {
    let keys = (key(), key())
    let turns = (Shared(Turns()), Shared(Turns()))
    try await within("clients requested two keys in the same order, but not all of them got both") {
      try await withThrowingTaskGroup { group in
        for _ in 1...2 {
          let access = try await access()
          group.addTask {
            for _ in 1...10 {
              try await access.withAccess(to: keys.0) { first in
                turns.0.with { $0.begin(first.number) }
                try await access.withAccess(to: keys.1) { second in
                  try await turn(turns.1, second)
                  try first.check()
                }
                turns.0.with { $0.end() }
              }
            }
          }
          group.addTask {
            for _ in 1...10 { try await access.withAccess(to: keys.1) { try await turn(turns.1, $0) } }
          }
        }
        try await group.waitForAll()
      }
    }
    for (turns, count) in [(turns.0, 20), (turns.1, 40)] {
      let (wrong, ran) = turns.with { ($0.wrong, $0.count) }
      if let wrong { throw Broken(wrong) }
      if ran != count { throw Broken("\(count) calls returned, but \(ran) turns ran") }
    }
  }

  private func turn(_ turns: Shared<Turns>, _ fence: Fence) async throws {
    turns.with { $0.begin(fence.number) }
    for _ in 1...3 { await Task.yield() }
    try fence.check()
    turns.with { $0.end() }
  }

  func checkHearing() async throws {
    let (key, access) = (key(), try await access())
    let holder = try await hold(key, as: access)
    let fence = holder.held.lent
    let hasHeard = Shared(false)
    @Sendable func listen() async throws {
      try await access.waitUntilAnotherAsks(for: key, under: fence)
      hasHeard.with { $0 = true }
    }
    let cancelled = Task { try await access.waitUntilAnotherAsks(for: key, under: fence) }
    let listening = Task { try await listen() }
    try await letOthersPass()
    if hasHeard.with({ $0 }) { throw Broken("the holder was notified of another request, but there was none") }
    cancelled.cancel()
    _ = try await within("waitUntilAnotherAsks was cancelled, but did not return") { await cancelled.result }
    let waiter = Held()
    waiter.release()
    let waiting = try await begin(key, waiter)
    try await within("another client requested the key, but its holder was not notified") { try await listening.value }
    try await within("another client was already waiting for the key, but its holder was not notified") {
      try await listen()
    }
    holder.held.release()
    try await end(holder.task)
    try await end(waiting)
  }

  func checkLateRequest(
    _ delay: @escaping @Sendable (Access.Key) async throws -> @Sendable () async throws -> Void
  ) async throws {
    let (key, mine) = (key(), try await access())
    let (unharmed, deliver) = (try await hold(self.key(), as: mine), try await delay(key))
    let asking = SerialTaskExecutor().submit { try await number(mine, key) }
    // An engine may repeat its request, or fail; if it waits on, its caller has to leave.
    if try await !hasEnded(asking) { asking.cancel() }
    let result = try await within("a call was cancelled while its request was delayed, but did not return") {
      await asking.result
    }
    try await within("the delayed request did not arrive") { try await deliver() }
    let next = try await expectFree(key, "a request arrived late, and its key was not granted again")
    try await checkAfter(try? result.get(), next, key, mine, unharmed)
  }

  func checkRepeatedRequest(
    _ repeats: @escaping @Sendable (Access.Key) async throws -> @Sendable () async throws -> Void
  ) async throws {
    let (key, mine) = (key(), try await access())
    let (unharmed, deliver) = (try await hold(self.key(), as: mine), try await repeats(key))
    let first = try await within("the key is free, but access to it was not granted") { try await number(mine, key) }
    try await within("the repeated request did not arrive") { try await deliver() }
    let next = try await expectFree(key, "a request arrived twice, and its key was not granted again")
    try await checkAfter(first, next, key, mine, unharmed)
  }

  private func checkAfter(
    _ first: UInt64?, _ next: UInt64, _ key: Access.Key, _ mine: Access,
    _ unharmed: (task: Task<Void, any Error>, held: Held)
  ) async throws {
    if let first, next <= first { throw Broken("fence \(next) was granted after \(first)") }
    let last = try await within("after a late or repeated request, its client did not get the key again") {
      try await number(mine, key)
    }
    if last <= next { throw Broken("fence \(last) was granted after \(next)") }
    do { try unharmed.held.check() } catch {
      throw Broken("after a late or repeated request for one key, a turn of another key lost its access: \(error)")
    }
    unharmed.held.release()
    try await end(unharmed.task)
  }

  /// Returns whether the job ends on its own within a fraction of the patience.
  private func hasEnded(_ job: SubmittedJob<UInt64>) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        _ = await job.result
        return true
      }
      group.addTask {
        try await sleep(patience / 4)
        return false
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
  }
}
