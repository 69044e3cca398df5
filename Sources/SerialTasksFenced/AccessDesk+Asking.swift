extension AccessDesk {
  private struct Attempt {
    let place: Place
    var used: [(holding: Holding, failsIfLost: Bool)] = []
    var unbegun: Unbegun?
  }

  private enum Step {
    case begin
    case again
    case wait(Latch)
    case reject(FencedRejection)
  }

  /// Requests access in the order of the seats, the same in every process; meanwhile no later seat is held.
  nonisolated(nonsending) func holdings(for job: Job, at place: Place) async -> Result<[Holding], FencedRejection> {
    var attempt = Attempt(place: place)
    defer { attempt.unbegun?.end() }
    while true {
      switch step(job, &attempt) {
      case .begin: return .success(attempt.used.map(\.holding))
      case .again: continue
      case .reject(let why):
        giveUp(&attempt, job)
        return .failure(why)
      case .wait(let front):
        let decided = await front.wait(atMost: timeLeft(job))
        // The task may continue long after the latch was opened.
        guard let why = decided ?? departure(job) else { continue }
        giveUp(&attempt, job)
        // The call that withdraws a job may also cancel its task.
        return .failure(.rejected(isWithdrawn(job) ? .withdrawn : why))
      }
    }
  }

  private func timeLeft(_ job: Job) -> Duration? { job.limit.map { $0.duration - (clock.now - $0.start) } }

  private func departure(_ job: Job) -> JobRejection? {
    if Task.isCancelled { return .cancelled }
    return timeLeft(job).map { $0 <= .zero } == true ? .late : nil
  }

  // Not inlined: see `Lock`.

  @inline(never)
  private func step(_ job: Job, _ attempt: inout Attempt) -> Step {
    switch next(job, &attempt) {
    case .mustWait:
      if let left = timeLeft(job), left <= .zero { return .reject(.rejected(.late)) }
      switch line.beginUnbegun(needsRoom: true, goOn: { [self] in openFront(of: job) }) {
      case .success(let unbegun): attempt.unbegun = unbegun
      case .failure(let why): return .reject(.rejected(why))
      }
      return .again
    case .wait(let front): return .wait(front)
    case .ask(let holding, let entry, let front):
      ask(holding, entry)
      return .wait(front)
    case .rejected(let why): return .reject(why)
    case .all:
      if let lost = lost(attempt) {
        lose(lost, &attempt, job)
        return .again
      }
      // The engine may have taken some time to check the fences.
      if isWithdrawn(job) { return .reject(.rejected(.withdrawn)) }
      return attempt.unbegun?.begin() ?? true ? .begin : .again
    }
  }

  private enum Next {
    case all
    case mustWait
    case wait(Latch)
    case ask(Holding, Entry, Latch)
    case rejected(FencedRejection)
  }

  /// Requests the first missing access, if the job may wait.
  private func next(_ job: Job, _ attempt: inout Attempt) -> Next {
    let (mayWait, now) = (attempt.unbegun != nil, attempt.unbegun == nil ? .zero : clock.now)
    var result = Next.all
    var endings: [(Entry, Ending)] = []
    update { entries in
      if AccessDesk.isWithdrawn(job) {
        result = .rejected(.rejected(.withdrawn))
        return []
      }
      // Under the lock: a later pause cancels this request, and the end of a pause finds the latch.
      if attempt.unbegun?.isHeldBack ?? false {
        returnGrants(of: &attempt, job)
        result = .wait(newFront(of: job))
        return job.seats.map { ($0.entry, $0.entry.state.giveUp()) }
      }
      while attempt.used.count < job.seats.count {
        let (entry, ticket) = (job.seats[attempt.used.count].entry, job.seats[attempt.used.count].ticket)
        endings.append((entry, entry.state.makeWay(forJobAt: attempt.place)))
        switch entry.state.next(ticket, at: attempt.place, mayWait: mayWait, now: now, new: Holding(clock: clock)) {
        case .use(let holding, let failsIfLost): attempt.used.append((holding, failsIfLost))
        case .mustWait: result = .mustWait
        case .wait: result = .wait(newFront(of: job))
        case .ask(let holding):
          entries.requests += 1
          result = .ask(holding, entry, newFront(of: job))
        case .failed(let error): result = .rejected(.noAccess(error))
        }
        guard case .all = result else { break }
      }
      if case .all = result { for seat in job.seats { seat.entry.front = nil } }
      switch result {
      case .wait, .ask: endings += job.seats[(attempt.used.count + 1)...].map { ($0.entry, $0.entry.state.giveUp()) }
      default: break
      }
      return endings
    }
    return result
  }

  private func newFront(of job: Job) -> Latch {
    let front = Latch(clock: clock)
    for seat in job.seats { seat.entry.front = front }
    return front
  }

  private func openFront(of job: Job) {
    // All keys of the job share it.
    entries.withLock { _ in job.seats.first?.entry.front }?.open()
  }

  private func lost(_ attempt: Attempt) -> (index: Int, error: any Error)? {
    for (index, use) in attempt.used.enumerated() {
      do { try use.holding.fence.check() } catch { return (index, error) }
    }
    return nil
  }

  private func lose(_ lost: (index: Int, error: any Error), _ attempt: inout Attempt, _ job: Job) {
    let (holding, failsIfLost) = attempt.used[lost.index]
    let entry = job.seats[lost.index].entry
    update { _ in [(entry, entry.state.lose(holding, failing: failsIfLost ? lost.error : nil))] }
    putBack(&attempt, job)
  }

  @inline(never)
  private func putBack(_ attempt: inout Attempt, _ job: Job) {
    entries.withLock { _ in returnGrants(of: &attempt, job) }
  }

  /// Called under the lock.
  private func returnGrants(of attempt: inout Attempt, _ job: Job) {
    for (seat, use) in zip(job.seats, attempt.used) { seat.entry.state.putBack(use.holding) }
    attempt.used = []
  }

  @inline(never)
  private func giveUp(_ attempt: inout Attempt, _ job: Job) {
    putBack(&attempt, job)
    entries.withLock { _ in for seat in job.seats { seat.entry.front = nil } }
  }

  private static func isWithdrawn(_ job: Job) -> Bool {
    job.seats.contains { $0.entry.state.isWithdrawn($0.ticket) }
  }

  @inline(never)
  private func isWithdrawn(_ job: Job) -> Bool { entries.withLock { _ in AccessDesk.isWithdrawn(job) } }
}
