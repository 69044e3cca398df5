import SerialTasks

/// Drives a line of batches and the model with the same events, and says where they first disagree.
struct ReadWriteRun: ~Copyable {
  var model: ReadWriteModel
  private var state: LineState
  private var jobs: [Job] = []
  private(set) var mismatch: String?

  private enum Job {
    case read(Seat)
    case write(Waiter)
    /// A write that found the line free, at this place.
    case entered(Place)
  }

  init(limit: Int?, capacity: Int?) {
    model = ReadWriteModel(limit: limit, capacity: capacity)
    state = LineState(capacity: capacity)
  }

  mutating func apply(_ event: ReadWriteModel.Event) {
    let before = model
    model.apply(event)
    let handover = carryOut(event)
    state.checkInvariants()
    compareFates(after: event)
    compareLine(after: event)
    if let handover { compare(handover, after: event, since: before) }
  }

  /// Returns the handover, if the event is one that may hand the turn on.
  private mutating func carryOut(_ event: ReadWriteModel.Event) -> LineState.Handover? {
    switch event {
    case .read: read()
    case .write: write()
    case .begin(let job): return begin(job)
    case .finish(let job): return finish(job)
    case .leave(let job): return leave(job)
    case .pause: state.pause()
    case .resume: return state.resume()
    case .close: state.close()
    case .withdraw: return withdraw()
    }
    return nil
  }

  private mutating func read() {
    let seat = Seat(name: "\(jobs.count)", isSubmitted: true)
    jobs.append(.read(seat))
    let limit = model.limit
    let seating = state.seat(seat) { Batch(limit: limit) }
    switch (seating, model.fates.last!) {
    case (.granted, .granted), (.waiting, .waiting): break
    case (.rejected, .rejected): seat.state = .rejected(.closed)  // it is not looked at any more
    case (let seating, let fate): mismatch = "a read that came is \(seating) and should be \(fate)"
    }
  }

  private mutating func write() {
    if case .granted(let place) = state.enter(name: "\(jobs.count)", task: nil) { return jobs.append(.entered(place)) }
    let waiter = Waiter(name: "\(jobs.count)")
    jobs.append(.write(waiter))
    _ = state.join(waiter)
  }

  private mutating func begin(_ job: Int) -> LineState.Handover? {
    switch jobs[job] {
    case .read(let seat): if case .turnedAway(let handover) = state.begin(seat) { return handover }
    case .write(let waiter):
      if state.beginAtOnce(waiter) { return nil }
      if case .turnedAway = state.begin(waiter) { return state.finish(waiter.place).handover }
    case .entered: mismatch = "job \(job) has begun before"
    }
    return nil
  }

  private mutating func finish(_ job: Int) -> LineState.Handover {
    switch jobs[job] {
    case .read(let seat): return state.finish(seat)
    case .write(let waiter): return state.finish(waiter.place).handover
    case .entered(let place): return state.finish(place).handover
    }
  }

  private mutating func leave(_ job: Int) -> LineState.Handover? {
    switch jobs[job] {
    case .read(let seat): if case .left(let handover) = state.leave(seat) { return handover }
    case .write(let waiter): if case .left(let handover) = state.leave(waiter) { return handover }
    case .entered: break
    }
    return nil
  }

  private mutating func withdraw() -> LineState.Handover {
    let withdrawal = state.withdrawAll()
    let told = withdrawal.waiters.flatMap { $0.endings(.withdrawn) }.map { Int($0.name!)! }
    if told != told.sorted() || state.jobsWaiting != 0 { mismatch = "withdrawn: \(told)" }
    return state.told(withdrawal.waiters.count)
  }
}

// MARK: - Comparing

extension ReadWriteRun {
  private mutating func compareFates(after event: ReadWriteModel.Event) {
    guard mismatch == nil else { return }
    for (job, fate) in model.fates.enumerated() {
      let standing: Waiter.State =
        switch jobs[job] {
        case .read(let seat): seat.state
        case .write(let waiter): waiter.state
        case .entered: .running
        }
      switch (standing, fate) {
      case (.waiting, .waiting), (.granted, .granted), (.revoked, .revoked), (.rejected, .rejected): break
      case (.running, .running), (.running, .ended): break
      default: mismatch = "after \(event) job \(job) is \(standing) and should be \(fate)"
      }
    }
  }

  /// The order, how many wait, that no two batches stand next to each other, and whether all is over.
  private mutating func compareLine(after event: ReadWriteModel.Event) {
    guard mismatch == nil else { return }
    var line = seated(in: state.turn.waiter)
    if state.turn.waiter?.batch == nil, let name = state.turn.name { line.append(Int(name)!) }
    var follows = state.turn.waiter?.batch != nil
    for waiter in state.waiting.elements {
      let isBatch = waiter.batch != nil
      if isBatch, follows { mismatch = "after \(event) two batches are neighbours" }
      follows = isBatch
      line += isBatch ? seated(in: waiter) : [Int(waiter.name!)!]
    }
    if line != model.line { mismatch = "after \(event) the line is \(line), not \(model.line)" }
    if state.jobsWaiting != model.waiting.count { mismatch = "after \(event) \(state.jobsWaiting) wait" }
    if state.isIdle != model.line.isEmpty { mismatch = "after \(event) the line is idle, or is not" }
  }

  private func seated(in waiter: Waiter?) -> [Int] {
    guard let batch = waiter?.batch else { return [] }
    return (batch.running.elements + batch.waiting.elements).map { Int($0.name!)! }.sorted()
  }

  /// A waiter that was granted by this is to be resumed by it, and no other waiter is.
  private mutating func compare(
    _ handover: LineState.Handover, after event: ReadWriteModel.Event, since before: ReadWriteModel
  ) {
    guard mismatch == nil else { return }
    let granted = before.fates.indices.filter { before.fates[$0] == .waiting && model.fates[$0] == .granted }
    let isRight: Bool =
      switch handover {
      case .granted(let waiter, _):
        !granted.isEmpty
          && granted.allSatisfy { job in
            if case .read(let seat) = jobs[job] { seat.home === waiter } else { waiter.name == "\(job)" }
          }
      case .nobody, .idle: granted.isEmpty
      }
    if !isRight { mismatch = "after \(event) these were granted, and not resumed: \(granted)" }
  }
}
