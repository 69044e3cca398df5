import SerialTasks

extension SoakWorker {
  /// Waits for a job, and checks that it ran exactly if it was not rejected.
  func enqueue(_ line: SoakLine, _ yields: Int, isCancelled mayBeCancelled: Bool = false) async {
    let (ticket, runs) = (ticket(), Counter())
    do {
      try await line.executor.enqueue {
        runs.up()
        await line.run(ticket, of: number, yields: yields)
      }
      if runs.value != 1 { Soak.fail("each job runs once, and this one ran \(runs.value) times") }
    } catch {
      if runs.value != 0 { Soak.fail("a rejected job never ran") }
      check(error, mayBeCancelled)
    }
  }

  /// Cancels a caller at about the moment at which its turn comes.
  func race(_ line: SoakLine, _ yields: Int, _ pause: Int) async {
    // More urgent than some who run, so that they are raised.
    let task = Task(priority: .high) { await enqueue(line, yields, isCancelled: true) }
    if pause % 3 == 0 { await Task.yield() }
    spin(pause)
    task.cancel()
    await task.value
  }

  func submit(_ line: SoakLine, _ count: Int, _ yields: Int, cancels: Bool) async {
    let answers = Counter()
    let handles = (0..<count).map { index in
      let ticket = ticket()
      let job: @Sendable () async -> Void = { [number] in await line.run(ticket, of: number, yields: yields) }
      return index.isMultiple(of: 2) ? line.executor.submit(job) : line.executor.submitDetached(job)
    }
    for handle in handles { handle.whenComplete { _ in answers.up() } }
    if cancels { for handle in handles.reversed() { handle.cancel() } }
    for handle in handles {
      if case .failure(let error) = await handle.result { check(error, cancels) }
    }
    // The task that cleared the line may still be calling the handlers.
    while answers.value < count { await Task.yield() }
    if answers.value > count { Soak.fail("each completion handler is called once") }
  }

  /// Always in the order of the lines: no cycle, so no call may be rejected.
  func nest(_ yields: Int) async {
    let ticket = ticket()
    do {
      try await lines[0].executor.enqueue {
        await lines[0].run(ticket, of: number, yields: yields)
        await enqueue(lines[1], yields)
      }
    } catch { check(error, false) }
  }

  func callItself(_ line: SoakLine) async {
    do {
      try await line.executor.enqueue {
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await self.mustBeRejected(by: line) }
        }
      }
    } catch { check(error, false) }
  }

  private func mustBeRejected(by line: SoakLine) async {
    do {
      try await line.executor.enqueue { Soak.fail("a job ran inside another of its own line") }
    } catch JobRejection.deadlock {
    } catch JobRejection.full where line.isBounded {
    } catch JobRejection.withdrawn {  // by the task that clears the line now and then
    } catch { Soak.fail("a job that would wait for its own line is rejected as a deadlock, not with \(error)") }
  }

  func drain(_ line: SoakLine, _ pause: Int) async {
    let task = Task { try await line.executor.drain() }
    spin(pause)
    task.cancel()
    if case .failure(let error) = await task.result, !(error is CancellationError) {
      Soak.fail("drain throws only that it was cancelled, not \(error)")
    }
  }

  /// A line of its own, which is closed, cleared and drained while jobs come: after that nothing may land.
  func logOut(_ count: Int, _ yields: Int, _ pause: Int) async {
    let (line, ends) = (SoakLine("log-out", workers: number + 1), Counter())
    let submitter = Task { [number] in
      for _ in 0..<count * 4 {
        let ticket = ticket()
        line.executor.submit {
          if ends.value > 0 { Soak.fail("after log-out nothing lands") }
          await line.run(ticket, of: number, yields: yields)
        }
      }
    }
    spin(pause)
    line.executor.close()
    line.executor.cancelAll()
    do { try await line.executor.drain() } catch { Soak.fail("drain throws only when it is cancelled, not \(error)") }
    ends.up()
    await submitter.value
  }

  /// Two opposite transfers wait for each other in no order, so none is rejected.
  func transfer(_ accounts: [Int], _ yields: Int, isCancelled mayBeCancelled: Bool = false) async {
    let runs = Counter()
    do {
      try await bank.executor.enqueue(touching: accounts) {
        runs.up()
        await bank.run(accounts, yields: yields)
      }
      if runs.value != 1 { Soak.fail("each job runs once, and this one ran \(runs.value) times") }
    } catch {
      if runs.value != 0 { Soak.fail("a rejected job never ran") }
      if !mayBeCancelled || !(error is CancellationError) { Soak.fail("no transfer is rejected: \(error)") }
    }
  }

  /// Cancels a caller at about the moment at which its turn comes, and waits for a job over the same keys.
  func cancelTransfer(_ accounts: [Int], _ yields: Int, _ pause: Int) async {
    let task = Task(priority: .high) { await transfer(accounts, yields, isCancelled: true) }
    let handle = bank.executor.submit(touching: accounts.reversed()) { [bank] in
      await bank.run(accounts, yields: yields)
    }
    spin(pause)
    task.cancel()
    await task.value
    if case .failure(let error) = await handle.result { Soak.fail("no transfer is rejected: \(error)") }
  }

  /// The lines are cleared now and then, and one of them has a capacity.
  private func check(_ error: any Error, _ mayBeCancelled: Bool) {
    switch error {
    case JobRejection.withdrawn, JobRejection.full, JobRejection.keyFull: break
    case is CancellationError where mayBeCancelled: break
    default: Soak.fail("no job is rejected for what did not happen: \(error)")
    }
  }
}
