import SerialTasksFenced

/// Plays events on the state and on the model.
extension AccessStateTests.World {
  typealias Grant = AccessStateTests.Grant
  typealias Failure = AccessStateTests.Failure
  typealias Ending = AccessStateTests.State.Ending

  private var time: Duration { .seconds(now) }

  mutating func checkState() {
    let count = jobs.count + (coming == nil ? 0 : 1)
    expect(state.jobs == count)
    expect(state.held === held?.grant)
    // What is held is kept, or a job has the turn or is on its way: else two processes could wait for each other.
    expect(held == nil || held?.kept != nil || isTurnTaken || coming != nil)
    expect(asked == nil || isTurnTaken || coming != nil)
    expect(state.awaitsJob == (asked != nil || held.map { $0.kept == nil && jobs.first?.runsUnder == nil } ?? false))
    expect(state.isUnused == (count == 0 && drains == 0 && asked == nil && held == nil))
    if let old { checkLate(old) }
  }

  /// What comes too late from a grant that is over changes nothing.
  private mutating func checkLate(_ old: Grant) {
    var late = state
    expect(!late.grant(old, at: time))
    late.end(old, Failure(number: -1))
    expect(late.keep(old, at: time).0 == .over)
    expect(late.want(old, at: time), releases: nil)
    expect(late.held === state.held && late.awaitsJob == state.awaitsJob && late.isUnused == state.isUnused)
  }

  /// Plays the event on the state and on the model; returns whether it can happen.
  mutating func play(_ event: AccessStateTests.Event) -> Bool {
    switch event {
    case .arrive, .arriveWithOthers:
      guard jobs.count < 3 else { return false }
      let hasOthers = event == .arriveWithOthers
      let ticket = state.arrive(isOfSet: hasOthers)
      // It is decided before the job has its place.
      if hasOthers { rest(areAlone: false) }
      jobs.append(Job(ticket: ticket, isOfSet: hasOthers, waitsElsewhere: hasOthers))
    case .come:
      guard coming == nil, jobs.count < 3 else { return false }
      coming = Job(ticket: state.arrive(), isOfSet: false, waitsElsewhere: false)
    case .place:
      guard let job = coming.take() else { return false }
      jobs.append(job)
    case .turn:
      guard !hasLeft, jobs.first?.waitsElsewhere == true else { return false }
      jobs[0].waitsElsewhere = false
    case .turnIsOver:
      guard hasLeft else { return false }
      hasLeft = false
    case .go: return go()
    case .putBack:
      guard let grant = jobs.first?.runsUnder else { return false }
      state.putBack(grant)
      jobs[0].runsUnder = nil
      held?.jobs -= 1
    case .leaveFirst:
      guard let first = jobs.first, first.runsUnder == nil else { return false }
      leave(0)
    case .leaveInTurn:
      guard hasTurn, jobs[0].runsUnder == nil else { return false }
      hasLeft = true
      leave(0, isSubmitted: true)
    case .leaveLast:
      guard jobs.count > 1 else { return false }
      leave(jobs.count - 1)
    case .grant:
      guard let grant = asked else { return false }
      expect(state.grant(grant, at: time))
      expect(!state.grant(grant, at: time))
      (held, asked) = (Held(grant: grant), nil)
    case .fail:
      guard let grant = asked else { return false }
      state.end(grant, Failure(number: grant.number))
      asked = nil
      mark("failed \(grant.number)")
    case .lose, .loseFirst:
      guard let grant = held?.grant, jobs.first?.runsUnder != nil else { return false }
      // Only a job that has not run finds that out, and puts back what it used.
      expect(state.lose(grant, failing: event == .loseFirst ? Failure(number: grant.number) : nil), releases: grant)
      state.putBack(grant)
      jobs[0].runsUnder = nil
      if event == .loseFirst { mark("failed \(grant.number)") }
      (held, old) = (nil, grant)
    case .withdraw:
      guard !jobs.isEmpty, !jobs.allSatisfy({ $0.verdict == "withdrawn" }) else { return false }
      state.withdraw()
      mark("withdrawn")
    case .pass, .look, .want: return keep(event)
    case .drain:
      guard drains == 0, keeping > 0 else { return false }
      drains += 1
      releaseKept(state.beginDrain())
    case .endDrain:
      guard drains > 0 else { return false }
      drains -= 1
      state.endDrain()
    case .giveUp:
      guard asked != nil || held != nil else { return false }
      giveUp(state.giveUp())
    }
    return true
  }

  /// What has become of the jobs, unless they have begun; of two verdicts, being withdrawn is told.
  private mutating func mark(_ verdict: String) {
    for index in jobs.indices {
      if jobs[index].verdict != "withdrawn" { jobs[index].verdict = verdict }
    }
    if coming?.verdict != "withdrawn" { coming?.verdict = verdict }
  }

  /// The first job goes on: it ends, or asks what is next.
  private mutating func go() -> Bool {
    guard hasTurn, let first = jobs.first else { return false }
    if let grant = first.runsUnder {
      let isLast = held?.grant === grant && (held!.jobs >= limit || held!.wanted.map { now - $0 >= keeping } == true)
      expect(state.finish(grant, at: time), releases: isLast ? grant : nil)
      if isLast { (held, old) = (nil, grant) }
      leave(0)
      return true
    }
    let number = made + 1
    expect(state.isWithdrawn(first.ticket) == (first.verdict == "withdrawn"))
    if state.isWithdrawn(first.ticket) { return true }
    mayHaveTurn = false
    if held == nil, first.verdict == nil {
      // If it may not wait, nothing changes, so that another may ask.
      if case .mustWait = state.next(first.ticket, mayWait: false, at: time, new: Grant(0)) {} else { expect(false) }
    }
    switch state.next(first.ticket, mayWait: true, at: time, new: Grant(number)) {
    case .mustWait: expect(false)
    case .failed(let error):
      expect(first.verdict == "failed \((error as? Failure)?.number ?? 0)")
    case .ask(let grant):
      expect(first.verdict == nil && asked == nil && held == nil && grant.number == number)
      made = number
      asked = grant
    case .wait: expect(first.verdict == nil && asked != nil)
    case .use(let grant, let failsIfLost):
      expect(first.verdict == nil && grant === held?.grant)
      expect(failsIfLost == (held?.jobs == 0 && held?.wasKept == false))
      expect((held?.jobs ?? 0) < limit)
      held?.jobs += 1
      held?.kept = nil
      jobs[0].runsUnder = grant
    }
    return true
  }

  /// Time passes, or something is heard of other processes.
  private mutating func keep(_ event: AccessStateTests.Event) -> Bool {
    switch event {
    case .pass:
      guard let begin = held?.kept ?? held?.wanted, now - begin < keeping else { return false }
      now += 1
    case .look:
      guard let held, keeping > 0 else { return false }
      let left = held.kept.map { $0 + keeping - now }
      let (next, ending) = state.keep(held.grant, at: time)
      expect(next == (left ?? 1 > 0 ? .look(after: .seconds(left ?? keeping)) : .over))
      if let left, left <= 0 { releaseKept(ending) } else { expect(ending, releases: nil) }
    default:
      guard let grant = held?.grant, keeping > 0, held!.wanted == nil else { return false }
      held!.wanted = now
      releaseKept(state.want(grant, at: time))
    }
    return true
  }

  private mutating func expect(_ holds: Bool, line: Int = #line) { if !holds { wrong.append(line) } }

  private mutating func expect(_ ending: Ending, releases grant: Grant?, line: Int = #line) {
    switch ending {
    case .nothing: expect(grant == nil, line: line)
    case .release(let released): expect(released === grant, line: line)
    case .cancel: expect(false, line: line)
    }
  }

  private mutating func releaseKept(_ ending: Ending) {
    let grant = held?.kept == nil ? nil : held?.grant
    expect(ending, releases: grant)
    if let grant { (held, old) = (nil, grant) }
  }

  private mutating func giveUp(_ ending: Ending) {
    if let asked {
      if case .cancel(let given) = ending { expect(given === asked) } else { expect(false) }
      (self.asked, old) = (nil, asked)
    } else if let held, jobs.first?.runsUnder == nil {
      expect(ending, releases: held.grant)
      (self.held, old) = (nil, held.grant)
    } else {
      expect(ending, releases: nil)
    }
  }

  private mutating func leave(_ index: Int, isSubmitted: Bool = false) {
    let job = jobs.remove(at: index)
    if isSubmitted { mayHaveTurn = true }
    state.leave(job.ticket, isSubmitted: isSubmitted)
    rest(areAlone: !jobs.contains(where: \.isOfSet))
  }

  /// It is decided whether access goes on, among jobs that have this key alone or not.
  private mutating func rest(areAlone: Bool) {
    let hasNext = state.hasNext(isPaused: false, hasTurn: isTurnTaken)
    expect(hasNext == (areAlone ? state.jobs > 0 : state.jobs > 0 && isTurnTaken && !mayHaveTurn))
    let ending = state.rest(hasNext: hasNext, mayKeep: true, at: time)
    if hasNext || held?.kept != nil || jobs.first?.runsUnder != nil { return expect(ending, releases: nil) }
    guard let held, keeping > 0, drains == 0, held.wanted == nil else { return giveUp(ending) }
    expect(ending, releases: nil)
    self.held!.kept = now
    self.held!.wasKept = true
  }
}
