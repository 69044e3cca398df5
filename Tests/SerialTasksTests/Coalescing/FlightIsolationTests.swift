import SerialTasks
import Testing

private enum Request {
  @TaskLocal static var id = 0
}

private actor Repository {
  let profiles = TaskCoalescer<Int, Int>()
  var fetched = 0

  func fetch() -> Int {
    fetched += 1
    return fetched
  }

  /// The operation is isolated to the actor, also where its flight's task is not.
  func profile(_ key: Int) async throws -> Int {
    let profile = try await profiles.value(for: key) {
      self.preconditionIsolated()
      await Task.yield()
      self.preconditionIsolated()
      return self.fetch()
    }
    self.preconditionIsolated()
    return profile
  }

  func prefetch(_ key: Int) {
    profiles.prefetch(key, expiresAfter: .seconds(3_600)) {
      self.preconditionIsolated()
      return self.fetch()
    }
  }

  func profile(_ key: Int, _ done: @escaping @Sendable (Int) -> Void) {
    profiles.value(for: key) {
      self.preconditionIsolated()
      return self.fetch()
    } completion: { result in
      self.preconditionIsolated()
      if case .success(let profile) = result { done(profile) }
    }
  }
}

/// README, *Where it runs*, and Guarantees, *Cost* of `TaskCoalescer`: the isolation of an operation, and what it sees.
@Suite(.watched) struct FlightIsolationTests {
  let backend = Backend()
  let coalescer = TaskCoalescer<Int, Int>()

  /// Fails if: an operation is wrapped in a closure that loses its isolation.
  @Test func anOperationRunsInItsClosuresIsolation() async throws {
    let repository = Repository()
    try await withThrowingTaskGroup { group in
      for key in 0..<20 { group.addTask { _ = try await repository.profile(key) } }
      try await group.waitForAll()
    }
    #expect(await repository.fetched == 20)
    await repository.prefetch(7)
    let gate = Gate()
    await repository.profile(8) { _ in gate.open() }
    await gate.pass()
    #expect(await repository.fetched >= 21)
  }

  @Test @MainActor func onTheMainActor() async throws {
    var seen = 0  // not Sendable: captured by the main actor
    let joiner = Task.immediate { @MainActor in
      let value = try await coalescer.value(for: 7) {
        MainActor.preconditionIsolated()
        return await backend.fetch()
      }
      MainActor.preconditionIsolated()
      seen += value
    }
    #expect(coalescer.snapshot.waiting == 1)
    backend.gate.open()
    try await joiner.value
    #expect(seen == 1)
  }

  /// An operation that is not isolated may begin on its leader's thread, before the leader suspends.
  ///
  /// Fails if: a flight costs its leader a hop before the operation begins.
  @Test func anOperationBeginsAtOnce() async throws {
    let leader = asking(coalescer) { await backend.fetch() }
    #expect(backend.calls == 1)
    backend.gate.open()
    _ = try await leader.value
  }

  /// Fails if: an operation sees a joiner's task-locals, or none, or a retry of a failed prefetch those of the prefetch.
  @Test func anOperationSeesItsLeadersTaskLocals() async throws {
    func ask(_ id: Int) -> Task<CoalescedAnswer<Int>, any Error> {
      Request.$id.withValue(id) {
        asking(coalescer) {
          await backend.gate.pass()
          return Request.id
        }
      }
    }
    let calls = [ask(1), ask(2)]
    backend.gate.open()
    #expect(try await calls[0].value == .led(1))
    #expect(try await calls[1].value == .joined(1))

    let failing = Backend()
    Request.$id.withValue(3) { coalescer.prefetch(7, expiresAfter: .seconds(3_600)) { try await failing.fail() } }
    let onBoard = ask(4)
    failing.gate.open()
    #expect(try await onBoard.value == .led(4))
  }

  /// The markers of the jobs in which the leader runs are not the operation's.
  ///
  /// Fails if: an operation is taken for a part of its leader's turn.
  @Test func anOperationIsNotInItsLeadersJob() async throws {
    let executor = SerialTaskExecutor(name: "notes")
    let isInJob = TaskCoalescer<Int, Bool>()
    #expect(try await executor.enqueue { try await isInJob.value(for: 7) { executor.isInJob } } == false)
    #expect(
      try await executor.enqueue { try await isInJob.value(for: 7) { await Task { executor.isInJob }.value } } == false)
  }

  @Test func theOperationsTaskIsNamed() async throws {
    let names = TaskCoalescer<Int, String?>()
    #expect(try await names.value(for: 7, name: "profile 7") { Task.name } == "profile 7")
    names.prefetch(7, expiresAfter: .seconds(3_600), name: "prefetch") { Task.name }
    #expect(try await names.value(for: 7) { nil } == "prefetch")
  }
}
