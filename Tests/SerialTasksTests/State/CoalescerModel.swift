import CoalescingTasks

/// A coalescer as two arrays, the flights and the callers: the model that `CoalescerState` is held against.
///
/// It has no entries that could be cleared too early or too late: what a caller joins is looked for among all flights there
/// ever were. Results are known by the flight that they come from.
struct CoalescerModel: StateModel {
  /// What can happen; callers and flights are numbered in the order in which they come.
  enum Event: Hashable {
    case arrive(Int, ReloadPolicy), prefetch(Int)
    case leave(Int)
    case land(Int, succeeds: Bool)
    case invalidate(Int), cancel(Int)
    case invalidateAll, cancelAll
    case step
  }

  enum Fate: Hashable {
    case leads(Int), joins(Int)
    /// Over to this flight, by a later caller.
    case carried(Int)
    case served(Int), answered(Int)
    case left, withdrawn

    /// The flight that the caller is on board of.
    var flight: Int? {
      switch self {
      case .leads(let flight), .joins(let flight), .carried(let flight): flight
      case .served, .answered, .left, .withdrawn: nil
      }
    }
  }

  struct Flight {
    let key: Int
    var began: Int
    let isPrefetch: Bool
    /// Whether it waits for another to be over, or to be joined no more.
    var follows = false
    /// Whether it was invalidated, or found too old by a caller that came.
    var isStale = false
    /// Whether its result is still wanted.
    var isFlying = true
    /// Whether its operation has returned.
    var hasReturned = false
  }

  static let expiresAfter = 1

  let joinWindow: Int?
  let runsToEnd: Bool
  var flights: [Flight] = []
  var callers: [Fate] = []
  /// The flight whose result is kept for a key, and until when.
  var stored: [(key: Int, flight: Int, expires: Int)] = []
  var now = 0

  init(joinWindow: Int?, runsToEnd: Bool) {
    self.joinWindow = joinWindow
    self.runsToEnd = runsToEnd
  }
}

// MARK: - What is so

extension CoalescerModel {
  func onBoard(_ flight: Int) -> [Int] { callers.indices.filter { callers[$0].flight == flight } }

  /// What a caller of the key would join.
  func joinable(_ key: Int) -> Int? {
    current(key).flatMap { isYoung($0) ? $0 : nil }
  }

  private func current(_ key: Int) -> Int? {
    flights.indices.last {
      flights[$0].key == key && flights[$0].isFlying && !flights[$0].isStale && !flights[$0].follows
    }
  }

  private func following(_ key: Int) -> Int? {
    flights.indices.last { flights[$0].key == key && flights[$0].isFlying && flights[$0].follows }
  }

  var alive: [(key: Int, flight: Int, expires: Int)] { stored.filter { now < $0.expires } }

  private func isYoung(_ flight: Int) -> Bool { joinWindow.map { now - flights[flight].began < $0 } ?? true }

  /// Keys are alike, so the first to be named is 0.
  var possibleEvents: [Event] {
    let keys = flights.isEmpty ? [0] : [0, 1]
    var events: [Event] = flights.isEmpty ? [] : [.invalidateAll, .cancelAll, .step]
    for key in keys {
      if callers.count < 3 { events += ReloadPolicy.allCases.map { .arrive(key, $0) } }
      events.append(.prefetch(key))
      if flights.contains(where: { $0.key == key }) { events += [.invalidate(key), .cancel(key)] }
    }
    for flight in flights.indices
    where !flights[flight].hasReturned && !(flights[flight].isFlying && flights[flight].follows) {
      events += [.land(flight, succeeds: true), .land(flight, succeeds: false)]
    }
    for caller in callers.indices where callers[caller].flight != nil { events.append(.leave(caller)) }
    return events
  }
}

// MARK: - What happens

extension CoalescerModel {
  mutating func apply(_ event: Event) {
    defer { goOn() }
    switch event {
    case .arrive(let key, let policy): callers.append(arrive(key, policy))
    case .prefetch(let key):
      if joinable(key) == nil, following(key) == nil, !alive.contains(where: { $0.key == key }) {
        fly(key, isPrefetch: true)
      }
    case .leave(let caller): leave(caller)
    case .land(let flight, let succeeds): land(flight, succeeds: succeeds)
    case .invalidate(let key): invalidate { $0 == key }
    case .invalidateAll: invalidate { _ in true }
    case .cancel(let key): cancel { $0 == key }
    case .cancelAll: cancel { _ in true }
    case .step: now += 1
    }
  }

  /// Lets those begin that have nothing to follow.
  private mutating func goOn() {
    for flight in flights.indices where flights[flight].follows && current(flights[flight].key) == nil {
      flights[flight].follows = false
      flights[flight].began = now
    }
  }

  private mutating func arrive(_ key: Int, _ policy: ReloadPolicy) -> Fate {
    if policy != .join { stored.removeAll { $0.key == key } }
    if policy == .supersede { return replace([current(key), following(key)].compactMap(\.self), key) }
    let running = joinable(key)
    if let flight = following(key), policy == .rerun || running == nil {
      if running == nil, let old = current(key) { flights[old].isStale = true }
      return .joins(flight)
    }
    if policy == .rerun, running != nil {
      flights.append(Flight(key: key, began: now, isPrefetch: false, follows: true))
      return .leads(flights.count - 1)
    }
    if let kept = alive.first(where: { $0.key == key }) {
      stored.removeAll { $0.key == key }
      return .served(kept.flight)
    }
    if let flight = joinable(key) { return .joins(flight) }
    fly(key, isPrefetch: false)
    return .leads(flights.count - 1)
  }

  private mutating func replace(_ old: [Int], _ key: Int) -> Fate {
    for flight in old { flights[flight].isFlying = false }
    flights.append(Flight(key: key, began: now, isPrefetch: false))
    for flight in old { for caller in onBoard(flight) { callers[caller] = .carried(flights.count - 1) } }
    return .leads(flights.count - 1)
  }

  /// What was there before is too old to be joined, and stays so.
  private mutating func fly(_ key: Int, isPrefetch: Bool) {
    for flight in flights.indices where flights[flight].key == key { flights[flight].isStale = true }
    flights.append(Flight(key: key, began: now, isPrefetch: isPrefetch))
  }

  private mutating func leave(_ caller: Int) {
    guard let flight = callers[caller].flight else { return }
    callers[caller] = .left
    let runsOn = flights[flight].isPrefetch || runsToEnd && !flights[flight].follows
    if onBoard(flight).isEmpty, !runsOn { flights[flight].isFlying = false }
  }

  private mutating func land(_ flight: Int, succeeds: Bool) {
    flights[flight].hasReturned = true
    guard flights[flight].isFlying else { return }
    flights[flight].isFlying = false
    let callers = onBoard(flight)
    for caller in callers { self.callers[caller] = .answered(flight) }
    let isFollowed = following(flights[flight].key) != nil
    if callers.isEmpty, succeeds, flights[flight].isPrefetch, !flights[flight].isStale, !isFollowed {
      stored.removeAll { $0.key == flights[flight].key }
      stored.append((flights[flight].key, flight, now + Self.expiresAfter))
    }
  }

  private mutating func invalidate(_ isMeant: (Int) -> Bool) {
    stored.removeAll { isMeant($0.key) }
    for flight in flights.indices where isMeant(flights[flight].key) && !flights[flight].follows {
      flights[flight].isStale = true
    }
  }

  private mutating func cancel(_ isMeant: (Int) -> Bool) {
    stored.removeAll { isMeant($0.key) }
    for flight in flights.indices where isMeant(flights[flight].key) && flights[flight].isFlying {
      flights[flight].isFlying = false
      for caller in onBoard(flight) { callers[caller] = .withdrawn }
    }
  }
}
