import CoalescingTasks

/// Drives the state with a history of events, and says where it differs from the model.
struct CoalescerRun: StateRun, ~Copyable {
  private var state: CoalescerState<Int, Int>
  private var now = 0
  private var flights: [CoalescedFlight<Int, Int>] = []
  private var waiters: [Waiter] = []
  /// What each caller was told when it came.
  private var arrivals: [CoalescerModel.Fate] = []
  /// How often each caller was handed its end, by a landing, its own leaving or a withdrawal.
  private var ends: [Int] = []
  /// How often the result of each flight was put on the shelf, and taken from it.
  private var stored: [Int] = []
  private var consumed: [Int] = []
  /// Operations that are to be cancelled.
  private var cancelled: Set<Int> = []

  init(joinWindow: Int?, runsToEnd: Bool) {
    state = CoalescerState(joinWindow: joinWindow.map { .seconds($0) }, runsToEnd: runsToEnd)
  }

  mutating func apply(_ event: CoalescerModel.Event) {
    defer { goOn() }
    switch event {
    case .arrive(let key, let policy):
      waiters.append(CoalescedCaller<Int, Int>())
      ends.append(0)
      arrivals.append(arrive(key, waiters.last!, policy))
    case .prefetch(let key):
      if let flight = state.prefetch(request(key, expiresAfter: .seconds(CoalescerModel.expiresAfter))) {
        begin(flight)
      }
    case .leave(let caller): leave(caller)
    case .land(let flight, let succeeds): land(flight, succeeds: succeeds)
    case .invalidate(let key): _ = state.invalidate(StableKey(key))
    case .invalidateAll: _ = state.invalidateAll()
    case .cancel(let key): withdraw { $0.withdraw(StableKey(key)) }
    case .cancelAll: withdraw { $0.withdrawAll() }
    case .step: now += 1
    }
  }

  private func request(
    _ key: Int, _ policy: ReloadPolicy = .join, expiresAfter: Duration? = nil
  ) -> FlightRequest<Int> {
    FlightRequest(key: StableKey(key), policy: policy, expiresAfter: expiresAfter, now: .seconds(now))
  }

  /// Does what the tasks do of flights that may begin.
  private func goOn() {
    for flight in flights where flight.parking?.state == .granted && flight.begin() {
      flight.kept.began = .seconds(now)
    }
  }

  private mutating func begin(_ flight: CoalescedFlight<Int, Int>) {
    if flight.parking == nil { _ = flight.begin() }
    flights.append(flight)
    stored.append(0)
    consumed.append(0)
  }

  private mutating func arrive(
    _ key: Int, _ waiter: Waiter, _ policy: ReloadPolicy
  ) -> CoalescerModel.Fate {
    let before = flights.filter { $0.phase != .abandoned }
    defer { for flight in before where flight.phase == .abandoned { cancelled.insert(number(flight)) } }
    switch state.arrive(request(key, policy), waiter) {
    case .served(let stored):
      consumed[stored.value] += 1
      return .served(stored.value)
    case .joined(let flight, _): return .joins(number(flight))
    case .leads(let flight):
      begin(flight)
      return .leads(flights.count - 1)
    case .forced(let flight, let isNew, _, _):
      if isNew { begin(flight) }
      return isNew ? .leads(number(flight)) : .joins(number(flight))
    case .asksForTheTime, .closed: return .left
    }
  }

  private mutating func leave(_ caller: Int) {
    guard let flight = boarded(caller) else { return }
    switch state.leave(waiters[caller], flights[flight]) {
    case .gone: break
    case .left: ends[caller] += 1
    case .lastLeft(_):
      ends[caller] += 1
      cancelled.insert(flight)
    }
  }

  private mutating func land(_ flight: Int, succeeds: Bool) {
    flights[flight].kept.result = succeeds ? .success(flight) : .failure(BackendError(call: flight))
    var delivered: [Waiter] = []
    let before = state.shelf.count
    let gone = state.land(flights[flight], now: .seconds(now)) { delivered.append($0) }
    for waiter in delivered { end(waiter) }
    stored[flight] += state.shelf.count + gone.count - before
  }

  private mutating func withdraw(_ body: (inout CoalescerState<Int, Int>) -> FlightEffects) {
    let before = flights.filter { $0.phase != .abandoned }
    for (_, caller) in body(&state).withdrawn { end(caller) }
    for flight in before where flight.phase == .abandoned { cancelled.insert(number(flight)) }
  }

  private mutating func end(_ waiter: Waiter) {
    if let caller = waiters.firstIndex(where: { $0 === waiter }) { ends[caller] += 1 }
  }

  /// The flight that the caller has led, joined or been carried over to.
  private func boarded(_ caller: Int) -> Int? {
    if let carrier = CoalescedCaller<Int, Int>.cast(waiters[caller]).carrier { return number(carrier) }
    return arrivals[caller].flight
  }

  private func number(_ flight: CoalescedFlight<Int, Int>) -> Int { flights.firstIndex { $0 === flight } ?? -1 }
}

// MARK: - Comparing

extension CoalescerRun {
  /// What is not as the model has it.
  func mismatch(with model: CoalescerModel) -> String? {
    if flights.count != model.flights.count { return "\(flights.count) flights began, not \(model.flights.count)" }
    for caller in model.callers.indices {
      if let why = mismatch(of: caller, with: model.callers[caller]) { return "caller \(caller) \(why)" }
    }
    for flight in model.flights.indices {
      let waiting = flights[flight].waiters.elements.map { waiter in waiters.firstIndex { $0 === waiter } }
      if waiting != model.onBoard(flight) {
        return "on board of flight \(flight) are \(waiting)"
      }
      let isUnwanted = !model.flights[flight].isFlying && !model.flights[flight].hasReturned
      if isUnwanted, !cancelled.contains(flight) { return "the operation of flight \(flight) was not cancelled" }
      if model.flights[flight].isFlying, cancelled.contains(flight) { return "flight \(flight) was cancelled" }
      if stored[flight] > 1 || consumed[flight] > stored[flight] { return "flight \(flight) was served twice" }
    }
    return mismatchOfWhatIsKept(with: model)
  }

  private func mismatch(of caller: Int, with fate: CoalescerModel.Fate) -> String? {
    let (standing, arrival) = (waiters[caller].state, arrivals[caller])
    if ends[caller] > 1 { return "was decided twice" }
    let hasEnded = ends[caller] == 1
    let agrees =
      switch fate {
      case .leads, .joins: standing == .waiting && arrival == fate && !hasEnded
      case .carried(let flight): standing == .waiting && boarded(caller) == flight && !hasEnded
      case .served: arrival == fate && !hasEnded
      case .answered(let flight): standing == .granted && boarded(caller) == flight && hasEnded
      case .left: standing == .rejected(.cancelled) && hasEnded
      case .withdrawn: standing == .rejected(.withdrawn) && hasEnded
      }
    return agrees ? nil : "came to \(arrival) and is \(standing), and should be \(fate)"
  }

  private func mismatchOfWhatIsKept(with model: CoalescerModel) -> String? {
    for key in [0, 1] {
      let current = state.current[StableKey(key)].map { number($0) }
      let expected = model.joinable(key)
      // One that is too old may stay where it is until a caller comes.
      let isTooOld = expected == nil && current.map { model.flights[$0].isFlying && !model.flights[$0].isStale } == true
      if current != expected, !isTooOld { return "callers of \(key) would join \(String(describing: current))" }
    }
    let snapshot = state.snapshot(now: .seconds(now))
    let expected = CoalescerSnapshot(
      waiting: model.callers.count { $0.flight != nil },
      running: model.flights.count { $0.isFlying && !$0.follows },
      stored: model.alive.count)
    if snapshot != expected { return "\(snapshot) and should be \(expected)" }
    return nil
  }
}
