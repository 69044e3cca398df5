/// The flights of an owner without keys: decides under its lock who joins, follows and replaces them, and never
/// resumes, cancels or calls anything.
///
/// ```
///   trailing ──────────► running ──────────► landing ──────────► (over)
///   waits for the        its operation       its result is
///   newest one           runs, or has        being applied,
///                        returned            by a reloader
/// ```
///
/// A flight lands only from `running`. Callers join the newest flight that runs or lands, unless it is *detached*: it
/// was older than the join window when the next one began. Only detached flights run beside another.
@usableFromInline
package struct Succession<Kept: KeptOfFlight, Value: Sendable>: Sendable, DrainedFlights {
  @usableFromInline package typealias Answer = Result<Value, any Error>?
  @usableFromInline package typealias Flight = SerialTasks.Flight<Kept, Answer>

  package internal(set) var landing: Flight?
  /// Those still wanted, by number.
  package internal(set) var running: [Flight] = []
  package internal(set) var trailing: Flight?
  /// Until their tasks have ended, wanted or not.
  private var tasks: [UInt64: Flight] = [:]
  package var drains = FlightDrains()
  @usableFromInline package internal(set) var isClosed = false
  package private(set) var interruptions = 0
  private let joinWindow: Duration?
  private let runsToEnd: Bool
  var flights: UInt64 = 0
  /// Each caller gets its number as its place.
  private var callers: Place = 0

  package init(joinWindow: Duration? = nil, runsToEnd: Bool = false) {
    (self.joinWindow, self.runsToEnd) = (joinWindow, runsToEnd)
  }

  package var waiting: Int {
    ([landing, trailing].compactMap(\.self) + running).reduce(0) { $0 + $1.waiters.count }
  }

  /// Oldest first.
  package var unended: [Flight] { tasks.values.sorted { $0.number < $1.number } }

  func isUnended(_ flight: Flight) -> Bool { tasks[flight.number] === flight }

  package var ahead: Int { running.count + (landing == nil ? 0 : 1) }

  func joinable(at now: Duration = .zero) -> Flight? {
    guard let newest = running.last ?? landing, !newest.isDetached else { return nil }
    guard let joinWindow, now - (newest.began ?? now) >= joinWindow else { return newest }
    return nil
  }

  /// Returns the caller's own flight, or the one ahead of that.
  package func blockers(of caller: FlightCaller<Flight>) -> Blockers {
    guard caller.isWaiting, let flight = caller.flight else { return .none }
    // A result that is being applied also blocks it, but never waits.
    return .all(flight === trailing ? running.suffix(1) : [flight])
  }
}

// MARK: - Arriving

extension Succession {
  package enum AskAction: Sendable {
    /// `raising` has its task, and that of the flight that it follows.
    case joins(Flight, raising: [Task<Void, Never>], FlightEffects<Flight>)
    /// The new flight is to be started, and the one ahead of it raised.
    case follows(Flight, raising: [Task<Void, Never>])
    /// The new flight is to be started; it replaces those that the effects end.
    case begins(Flight, FlightEffects<Flight>)
  }

  /// Keeps the flight wanted until it has ended if there is no caller.
  package mutating func ask(
    _ policy: SharingPolicy, _ caller: FlightCaller<Flight>?, priority: UInt8, at now: Duration = .zero,
    make: (_ number: UInt64, _ follows: Bool) -> Flight
  ) -> AskAction {
    var effects = FlightEffects<Flight>()
    if policy == .supersede { return begin(make, caller, priority, replacing: running + [trailing].compactMap(\.self)) }
    guard let newest = joinable(at: now) else {
      guard let next = trailing else { return begin(make, caller, priority, replacing: []) }
      effects = endJoining(before: next)
      return .joins(next, raising: board(next, caller, priority), effects)
    }
    if policy == .join { return .joins(newest, raising: board(newest, caller, priority), effects) }
    let first = newest.escalate(to: priority).map { [$0] } ?? []
    if let next = trailing { return .joins(next, raising: first + board(next, caller, priority), effects) }
    let next = add(make, follows: true)
    trailing = next
    _ = board(next, caller, priority)
    return .follows(next, raising: first)
  }

  // Not inlined: these are called in several places.

  @inline(never)
  private mutating func begin(
    _ make: (UInt64, Bool) -> Flight, _ caller: FlightCaller<Flight>?, _ priority: UInt8, replacing replaced: [Flight]
  ) -> AskAction {
    let flight = add(make, follows: false)
    var effects = FlightEffects<Flight>()
    flight.staysWanted = replaced.contains { $0.staysWanted }
    flight.carryOver(from: replaced, &drains, &effects)
    if !replaced.isEmpty { (running, trailing) = ([], nil) }
    running.last?.isDetached = true
    running.append(flight)
    _ = board(flight, caller, priority)
    return .begins(flight, effects)
  }

  private mutating func add(_ make: (UInt64, Bool) -> Flight, follows: Bool) -> Flight {
    flights += 1
    let flight = make(flights, follows)
    tasks[flights] = flight
    return flight
  }

  @inline(never)
  private mutating func board(_ flight: Flight, _ caller: FlightCaller<Flight>?, _ priority: UInt8) -> [Task<
    Void, Never
  >] {
    if let caller {
      callers += 1
      caller.place = callers
      caller.flight = flight
      flight.waiters.append(caller)
    } else {
      flight.staysWanted = true
    }
    return flight.escalate(to: priority).map { [$0] } ?? []
  }
}

// MARK: - Following

extension Succession {
  /// Returns `nil` if the flight ahead can be joined forever, or this one does not wait.
  package func endOfJoining(before flight: Flight) -> Duration? {
    guard let joinWindow, flight === trailing, let began = running.last?.began else { return nil }
    return began + joinWindow
  }

  /// Lets this flight begin, as the one ahead can no longer be joined.
  package mutating func endJoining(before flight: Flight) -> FlightEffects<Flight> {
    var effects = FlightEffects<Flight>()
    guard flight === trailing else { return effects }
    running.last?.isDetached = true
    goOn(&effects)
    return effects
  }

  mutating func goOn(_ effects: inout FlightEffects<Flight>) {
    guard let next = trailing, landing == nil, running.last?.isDetached ?? true else { return }
    trailing = nil
    running.append(next)
    next.parking!.grant()
    effects.resume(next.parking)
  }
}

// MARK: - Leaving and ending

extension Succession {
  /// Abandons a flight that no caller wants any more.
  package mutating func leave(_ caller: FlightCaller<Flight>, _ why: JobRejection = .cancelled) -> FlightEffects<Flight>
  {
    var effects = FlightEffects<Flight>()
    // Safe because callers wait for these flights only.
    guard let flight = effects.leave(caller, why) else { return effects }
    let isWanted = flight.staysWanted || runsToEnd && flight !== trailing || flight === landing
    guard flight.waiters.isEmpty, !isWanted else { return effects }
    interruptions += 1
    effects.abandon(flight)
    effects.resume(flight.unpark())
    remove(flight, &effects)
    return effects
  }

  mutating func remove(_ flight: Flight, _ effects: inout FlightEffects<Flight>) {
    if flight === trailing { trailing = nil }
    running.removeAll { $0 === flight }
    goOn(&effects)
  }

  /// Spares the flight that is being applied, but not an operation whose callers have had another answer.
  package mutating func withdrawAll() -> FlightEffects<Flight> {
    var effects = FlightEffects<Flight>()
    for flight in unended where flight.phase == .landed && flight.handle != nil {
      interruptions += 1
      effects.abandon(flight)
    }
    for flight in running + [trailing].compactMap(\.self) {
      interruptions += 1
      effects.withdraw(flight)
      effects.resume(flight.unpark())
    }
    (running, trailing) = ([], nil)
    return effects
  }

  package mutating func close(_ effects: inout FlightEffects<Flight>) { isClosed = true }

  func answer(_ flight: Flight, _ effects: inout FlightEffects<Flight>) {
    // One that has not begun never does.
    if flight.phase == .boarding { flight.handle = nil }
    flight.phase = .landed
    flight.waiters.removeAll { caller in
      caller.grant()
      effects.common.resume(caller)
    }
  }

  package mutating func over(_ flight: Flight) -> Effects {
    tasks[flight.number] = nil
    var effects = Effects()
    drains.countDown(flight.accepted) { effects.resume($0) }
    return effects
  }

  /// Lists the flights, wanted or not, oldest first; the trailing one's callers with the flight ahead; last, the
  /// callers of `drain`.
  package func holdings(named label: String) -> [Holding] {
    let flights = unended.filter {
      $0 !== trailing && $0.phase != .landed && ($0.phase != .abandoned || $0.began != nil)
    }
    var found = flights.map { Holding($0, place: $0.number, since: $0.began.map(WaitStart.init(at:)) ?? WaitStart()) }
    if let trailing, !found.isEmpty {
      found[found.count - 1].waiting += Holding(trailing, place: nil, since: WaitStart()).waiting
    }
    return found + Holding.draining(drains, named: label)
  }
}
