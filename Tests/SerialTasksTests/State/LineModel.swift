/// A line as an array: the model that `LineState` is held against.
struct LineModel {
  /// What can happen; jobs are numbered in the order in which they arrive.
  enum Event: Hashable {
    /// A submitted job joins; a caller first tries to enter, and joins if it cannot.
    case join, enter
    case begin, finish
    case leave(Int)
    /// The rejections that another task caused have been reported.
    case tell
    case withdraw, pause, resume, close
    case drain, pauseAndWait, leaveDrain
  }

  enum Fate: Hashable { case waiting, granted, revoked, running, ended, rejected }

  let capacity: Int?
  var fates: [Fate] = []
  var submitted: Set<Int> = []
  var holder: Int?
  var waiting: [Int] = []
  var isPaused = false
  var isClosed = false
  /// The number of rejected jobs that are still being reported.
  var untold = 0
  /// Whether a caller of `drain` or `pauseAndWait` waits, which of them, and whether it was resumed.
  var isDraining = false
  var awaitsPause = false
  var hasDrained = false

  var possibleEvents: [Event] {
    var events: [Event] = [.withdraw, isPaused ? .resume : .pause]
    if fates.count < 3 { events += [.join, .enter] }
    if !isClosed { events.append(.close) }
    if untold > 0 { events.append(.tell) }
    if let holder {
      events += fates[holder] == .running ? [.finish] : [.begin]
    }
    events += fates.indices.filter { fates[$0] != .ended && fates[$0] != .rejected }.map { .leave($0) }
    if !hasDrained { events += isDraining ? [.leaveDrain] : [.drain, .pauseAndWait] }
    return events
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .join: join(isSubmitted: true)
    case .enter: enter()
    case .begin: begin()
    case .finish: end(as: .ended)
    case .leave(let job): leave(job)
    case .tell: untold = 0
    case .withdraw: withdraw()
    case .pause: isPaused = true
    case .resume:
      isPaused = false
      // It is told that the pause is over.
      if isDraining, awaitsPause { (isDraining, hasDrained) = (false, true) }
    case .close: isClosed = true
    case .drain: (isDraining, awaitsPause) = (holder != nil || !waiting.isEmpty || untold > 0, false)
    case .pauseAndWait: (isPaused, isDraining, awaitsPause) = (true, holder != nil, true)
    case .leaveDrain: isDraining = false
    }
    settle()
  }

  /// A caller that finds the line free runs at once; it has no waiter that could still be rejected.
  private mutating func enter() {
    if isClosed || holder != nil || isPaused { return join(isSubmitted: false) }
    holder = fates.count
    fates.append(.running)
  }

  private mutating func join(isSubmitted: Bool) {
    let job = fates.count
    if isSubmitted { submitted.insert(job) }
    let mustWait = holder != nil || isPaused
    if isClosed || mustWait && waiting.count >= capacity ?? .max {
      fates.append(.rejected)
    } else {
      fates.append(.waiting)
      waiting.append(job)
    }
  }

  private mutating func begin() {
    guard let job = holder else { return }
    if fates[job] == .revoked {
      end(as: .rejected)
    } else if isPaused {
      holder = nil
      fates[job] = .waiting
      waiting.insert(job, at: 0)
    } else {
      fates[job] = .running
    }
  }

  private mutating func end(as fate: Fate) {
    holder.map { fates[$0] = fate }
    holder = nil
  }

  private mutating func leave(_ job: Int) {
    guard fates[job] == .waiting || fates[job] == .granted else { return }
    if submitted.contains(job) { untold += 1 }
    waiting.removeAll { $0 == job }
    fates[job] = fates[job] == .granted ? .revoked : .rejected
  }

  private mutating func withdraw() {
    for job in waiting { fates[job] = .rejected }
    untold += waiting.count
    waiting = []
    if let holder, fates[holder] == .granted { (fates[holder], untold) = (.revoked, untold + 1) }
  }

  /// What follows from the rest: the first that waits has a free turn, and an idle line lets go of those who drain it.
  private mutating func settle() {
    if holder == nil, !isPaused, !waiting.isEmpty {
      holder = waiting.removeFirst()
      fates[holder!] = .granted
    }
    let isIdle = waiting.isEmpty && untold == 0
    if isDraining, holder == nil, awaitsPause || isIdle { (isDraining, hasDrained) = (false, true) }
  }
}
