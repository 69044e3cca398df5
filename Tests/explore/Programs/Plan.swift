import CoalescingTasks

/// What must become of calls that share flights, loads or renewals: two lists that are too simple to be wrong.
///
/// It hears of each decision in the step in which the library makes it, so that there is no doubt; snapshots must say the same at
/// each event. Calls are known by their numbers in the account, flights by theirs, from 0.
struct Plan {
  enum Kind { case flights, loads, renewals }

  enum Stage: Equatable {
    /// Follows another; may begin when its task runs; and so on.
    case waits, mayBegin, runs, lands
    /// Its callers have a result.
    case over
    /// No caller wants it: it was replaced, withdrawn, or left by all.
    case ended
  }

  enum Fate: Equatable {
    case waits(Int)
    /// By what a flight returned or threw, perhaps earlier.
    case answered(Int)
    case left(Int), withdrawn(Int)
    /// Was cancelled in the middle of its call, and leaves, unless it is answered before.
    case leaves(Int)
    case closed, cancelled

    var flight: Int? {
      switch self {
      case .waits(let flight), .answered(let flight), .left(let flight), .withdrawn(let flight), .leaves(let flight):
        flight
      case .closed, .cancelled: nil
      }
    }
  }

  struct Flight: Equatable {
    /// The call that has made it, and the one whose work it does; for a value from elsewhere, that itself, which is below 0.
    let first: Int
    var job: Int
    var stage: Stage
    /// Of a flight; one that was invalidated is joined, followed and replaced no more.
    let key: String?
    var isDetached = false
    /// By the clock.
    var began = 0
    /// Whether it waited for another before it began.
    var follows = false
    /// The call that was the last to leave it, and cancels it when it goes on.
    var leaver: Int?
    var begins = 0
    var ends = 0
  }

  /// The value of a flight and its age, or an error that is kept for some time.
  struct Kept {
    let flight: Int
    let since: Int
    var ahead = 0
    let until: Int

    func isValid(at now: Int) -> Bool { since <= now && now < until }
  }

  let kind: Kind
  let options: Program.Options
  var flights: [Flight] = []
  private(set) var fates: [Int: Fate] = [:]
  /// Calls that do not wait, but want a result on the screen.
  private var screen: Set<Int> = []
  private var isClosed = false
  /// Whether a caller was cancelled in the middle of its call, and it is not known when it leaves.
  private(set) var isVague = false
  private(set) var value: Kept?
  private var failure: Kept?

  init(_ kind: Kind, _ options: Program.Options) { (self.kind, self.options) = (kind, options) }
}

// MARK: - What is so

extension Plan {
  func callers(of flight: Int) -> [Int] { fates.keys.filter { fates[$0] == .waits(flight) }.sorted() }

  private func last(_ key: String?, _ stages: Stage...) -> Int? {
    flights.lastIndex { $0.key == key && !$0.isDetached && stages.contains($0.stage) }
  }

  /// The flight that a request finds, and the one that follows it.
  func running(_ key: String? = nil) -> Int? { last(key, .mayBegin, .runs) ?? last(key, .lands) }
  func trailing(_ key: String? = nil) -> Int? { last(key, .waits) }

  func isWanted(_ flight: Int) -> Bool { [.waits, .mayBegin, .runs].contains(flights[flight].stage) }

  func flight(of job: Int) -> Int? { flights.firstIndex { $0.job == job } }

  /// The calls whose urgency the flight must have: its own, and those that follow it.
  func raising(_ job: Int) -> [Int] {
    guard let flight = flight(of: job) else { return [] }
    let key = flights[flight].key
    return callers(of: flight) + (running(key) == flight ? trailing(key).map { callers(of: $0) } ?? [] : [])
  }

  /// What a snapshot has to say; `nil` if a caller may have left or not.
  var counts: Counts? {
    if fates.values.contains(where: { if case .leaves = $0 { true } else { false } }) { return nil }
    let waiting = fates.count { if case .waits = $0.value { !screen.contains($0.key) } else { false } }
    let flying = flights.indices.count { isWanted($0) && flights[$0].stage != .waits }
    let running = kind == .loads ? running() == nil ? 0 : 1 : flying
    return Counts(waiting: waiting, reading: running, writing: 0, isPaused: false, isClosed: isClosed)
  }

  func remaining(at now: Int) -> Int? {
    isClosed ? nil : value.flatMap { $0.isValid(at: now) ? $0.until - now : nil }
  }

  /// How many go on ahead of one that follows.
  func ahead(_ key: String?) -> Int {
    flights.count { $0.key == key && !$0.isDetached && [.mayBegin, .runs, .lands].contains($0.stage) }
  }
}

// MARK: - What happens to all

extension Plan {
  private mutating func make(_ job: Int, _ stage: Stage, _ key: String? = nil, at now: Int = 0) -> Int {
    flights.append(Flight(first: job, job: job, stage: stage, key: key, began: now, follows: stage == .waits))
    return flights.count - 1
  }

  private mutating func answer(_ flight: Int, with newer: Int) {
    for caller in callers(of: flight) { fates[caller] = .answered(newer) }
    flights[flight].stage = .over
  }

  mutating func begin(_ flight: Int) { if flights[flight].stage == .mayBegin { flights[flight].stage = .runs } }

  mutating func leave(_ job: Int, isCertain: Bool) {
    if isCertain, case .leaves(let flight) = fates[job] { return fates[job] = .left(flight) }
    guard case .waits(let flight) = fates[job] else { return }
    if !isCertain { (fates[job], isVague) = (.leaves(flight), isVague || kind != .renewals || options.hasPolicies) }
    if !isCertain { return }
    fates[job] = .left(flight)
    let runsOn = (kind == .renewals || options.runsToEnd) && flights[flight].stage != .waits
    guard !runsOn, callers(of: flight).isEmpty, isWanted(flight) else { return }
    (flights[flight].stage, flights[flight].leaver) = (.ended, job)
    goOn()
  }

  mutating func clear(_ key: String?) {
    for flight in flights.indices where isWanted(flight) && (key == nil || flights[flight].key == key) {
      for caller in callers(of: flight) { fates[caller] = .withdrawn(flight) }
      flights[flight].stage = .ended
    }
    // So is an operation whose callers have had another's value.
    for flight in flights.indices where flights[flight].stage == .over && flights[flight].begins > flights[flight].ends
    {
      flights[flight].stage = .ended
    }
    (value, failure) = (nil, nil)
  }

  mutating func close() { (isClosed, failure) = (true, nil) }
}

// MARK: - Flights and loads

extension Plan {
  mutating func request(_ job: Int, _ policy: SharingPolicy, _ key: String?, waits: Bool, isCancelled: Bool) {
    if !waits { screen.insert(job) }
    if isCancelled, waits { return fates[job] = .cancelled }
    if isClosed { return fates[job] = .closed }
    let flight: Int
    switch (running(key), policy) {
    case (let running?, .join): flight = running
    case (.some, .rerun):
      flight = trailing(key) ?? make(job, .waits, key)
      // A load is one for the last reason; the operations of flights are not exchanged.
      if kind == .loads { flights[flight].job = job }
    default:
      flight = supersede(job, key)
    }
    fates[job] = .waits(flight)
  }

  private mutating func supersede(_ job: Int, _ key: String?, at now: Int = 0) -> Int {
    let old = flights.indices.filter {
      isWanted($0) && flights[$0].key == key && (kind == .renewals || !flights[$0].isDetached)
    }
    let flight = make(job, .mayBegin, key, at: now)
    for old in old {
      for caller in callers(of: old) { fates[caller] = .waits(flight) }
      flights[old].stage = .ended
    }
    return flight
  }

  /// What followed another that is over, or can be joined no more, may begin.
  private mutating func goOn() {
    for flight in flights.indices where flights[flight].stage == .waits && running(flights[flight].key) == nil {
      flights[flight].stage = .mayBegin
    }
  }

  mutating func invalidate(_ key: String?) {
    for running in flights.indices where running == self.running(flights[running].key) {
      if key == nil || flights[running].key == key { flights[running].isDetached = true }
    }
    goOn()
  }

  mutating func land(_ flight: Int) { flights[flight].stage = .lands }

  mutating func end(_ flight: Int) {
    if flights[flight].stage == .ended { return }
    answer(flight, with: flight)
    goOn()
  }
}

// MARK: - Renewals

extension Plan {
  /// A call has read the clock, and is served if its value is fresh.
  mutating func isFresh(_ job: Int, at now: Int) -> Bool {
    guard !isClosed, let value, value.since <= now, now < value.ahead else { return false }
    fates[job] = .answered(value.flight)
    return true
  }

  /// A call that has read the clock serves itself, joins, starts a renewal or is rejected.
  ///
  /// A value that was not there before the call read the clock is not older than the call.
  mutating func arrive(
    _ job: Int, _ policy: SharingPolicy, at now: Int, rejecting: Int?, isCancelled: Bool, seen: Int?
  ) {
    if isClosed {
      fates[job] = isCancelled ? .cancelled : .closed
      return
    }
    let now = value.map { $0.flight == seen ? now : max(now, $0.since) } ?? now
    let last = running()
    let joinable = last.flatMap { last in options.joinWindow.map { now - flights[last].began < $0 } ?? true ? last : nil
    }
    let failure = failure.flatMap { $0.isValid(at: now) ? $0.flight : nil }
    if policy == .join, let value, value.isValid(at: now), value.flight != rejecting {
      fates[job] = .answered(value.flight)
      if now >= value.ahead, joinable == nil, failure == nil, !isCancelled { _ = renew(job, at: now) }
    } else if isCancelled {
      fates[job] = .cancelled
    } else if joinable == nil || policy != .join, let failure {
      fates[job] = .answered(failure)
    } else if policy == .supersede {
      fates[job] = .waits(supersede(job, nil, at: now))
    } else if policy == .rerun, joinable != nil {
      fates[job] = .waits(trailing() ?? make(job, .waits))
    } else {
      fates[job] = .waits(joinable ?? renew(job, at: now))
    }
  }

  /// Begins a renewal beside those that are too old.
  private mutating func renew(_ job: Int, at now: Int) -> Int {
    if let old = running() { flights[old].isDetached = true }
    return make(job, .mayBegin, at: now)
  }

  mutating func land(_ flight: Int, validFor validity: Int?, at now: Int) {
    guard isWanted(flight) else { return }
    if let validity { return keep(flight, for: validity, at: now) }
    answer(flight, with: flight)
    failure = options.pauseAfterFailure.map { Kept(flight: flight, since: now, until: now + $0) }
    if let next = trailing(), failure?.isValid(at: now) == true { answer(next, with: flight) }
    goOn()
  }

  mutating func replace(with value: Int, validFor validity: Int, at now: Int) {
    if isClosed { return }
    flights.append(Flight(first: value, job: value, stage: .over, key: nil))
    if let next = trailing() { answer(next, with: flights.count - 1) }
    keep(flights.count - 1, for: validity, at: now)
  }

  private mutating func keep(_ flight: Int, for validity: Int, at now: Int) {
    for older in 0...flight where isWanted(older) && flights[older].stage != .waits { answer(older, with: flight) }
    flights[flight].stage = .over
    let until = now + validity
    value = Kept(flight: flight, since: now, ahead: until - options.renewAhead, until: until)
    failure = nil
    goOn()
  }
}
