import SerialTasks

/// The calls that models make, with their accounts.
extension Ledger {
  /// What a job does.
  struct Work {
    var steps = 0
    var error: JobError?
    /// Whether it has no task while it waits, if it is submitted.
    var isDetached = false

    /// A job of up to two steps; one in four throws.
    init(_ random: inout SplitMix) {
      steps = random.below(3)
      error = random.once(in: 4) ? JobError() : nil
      isDetached = random.once(in: 3)
    }
  }

  /// Calls `enqueue` with a job that does the work, and waits for the answer.
  func enqueue(_ name: String, _ work: Work) async {
    await enqueue(name, error: work.error) { try await self.run($0, steps: work.steps, error: work.error) }
  }

  /// Calls `enqueue` with a job that does something between its first instruction and its last, and waits for the answer.
  func enqueue(_ name: String, around body: () async -> Void) async {
    await enqueue(name, error: nil) { job in
      enter(job)
      await body()
      leave(job)
      return job
    }
  }

  private func enqueue(_ name: String, error: JobError?, _ body: (Int) async throws -> Int) async {
    let job = ask(name)
    if Task.isCancelled { forbid(job) }
    do {
      let value = try await line.enqueue(name) { try await body(job) }
      answer(job, .returned(value), error: error)
    } catch let thrown { answer(job, Outcome(thrown), error: error) }
  }

  /// Calls `submit`; the answer is the completion handler's.
  @discardableResult
  func submit(_ name: String, _ work: Work) -> SubmittedJob<Int, any Error> {
    let job = ask(name)
    entries[job].isSubmitted = true
    entries[job].submitter = world.scheduler.step
    let handle = line.submit(name, isDetached: work.isDetached) {
      try await self.run(job, steps: work.steps, error: work.error)
    }
    entries[job].submitter = nil
    entries[job].hasHandle = true
    handle.whenComplete { result in
      switch result {
      case .success(let value): self.answer(job, .returned(value), error: work.error)
      case .failure(let error): self.answer(job, Outcome(error), error: work.error)
      }
    }
    return handle
  }

  /// Waits for a submitted job, and checks that every caller gets the same result.
  func await(_ handle: SubmittedJob<Int, any Error>, _ job: String, as name: String) async {
    world.note(name, "awaits", job)
    let result = await handle.result
    world.note(name, "has awaited", job)
    guard let entry = entries.first(where: { $0.name == job }) else { return }
    switch result {
    case .success(let value): world.expect(entry.outcome == .returned(value), "all who wait get the job's result", name)
    case .failure(let error):
      if error is CancellationError, Task.isCancelled { return }
      world.expect(entry.outcome == Outcome(error), "all who wait get the job's result", name)
    }
  }

  /// Cancels a submitted job wherever the strategy places it.
  func cancelAnywhere(_ handle: SubmittedJob<Int, any Error>, _ name: String) {
    let steps = world.random.below(3)
    world.spawn("canceller of \(name)") { [world] in
      await world.steps(steps)
      world.note(name, "is cancelled by its handle")
      self.forbid(name)
      handle.cancel()
      self.tellToStop(name)
      world.expect(handle.isCancelled, "a handle remembers that it was cancelled", name)
    }
  }

  /// Cancels the task that enqueues these jobs wherever the strategy places it.
  func cancelAnywhere(_ task: Task<Void, Never>, _ name: String, jobs: [String]) {
    world.cancelAnywhere(name, task) { for job in jobs { self.forbid(job) } }
  }
}
