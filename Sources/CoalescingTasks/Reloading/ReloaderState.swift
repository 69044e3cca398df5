/// The state of a reloader and all its decisions.
///
/// Runs under the lock; never resumes, cancels or calls anything.
///
/// A load is in at most one of three places:
///
/// ```
///   trailing ──────────► loading ──────────► landing ──────► (over)
///   waits for those      its operation       its result is
///   before it            runs, or has        being applied
///                        returned
/// ```
///
/// A load lands only from `loading`, and only while `landing` is empty. A load that was removed from `loading` therefore
/// never lands, and results land one at a time, in the order of their loads.
package struct ReloaderState<Reason: ReloadReason, Value: Sendable>: ~Copyable, Sendable {
  package typealias Load = ReloadFlight<Reason, Value>

  package private(set) var landing: Load?
  package internal(set) var loading: Load?
  package internal(set) var trailing: Load?
  /// Loads whose tasks have not ended, wanted or not.
  package private(set) var unended: [Place: Load] = [:]
  package var drains = FlightDrains()
  package internal(set) var isClosed = false
  /// The number of loads that were withdrawn or cancelled.
  package internal(set) var interruptions = 0
  /// The number of loads so far.
  private var loads: Place = 0
  /// The number of callers so far; each gets its number as its place.
  private var callers: Place = 0

  package init() {}

  /// The load that a request finds running.
  package var running: Load? { loading ?? landing }

  /// The number of waiting callers.
  package var waiting: Int { [landing, loading, trailing].reduce(0) { $0 + ($1?.waiters.count ?? 0) } }

  package func snapshot() -> ReloaderSnapshot<Reason> {
    ReloaderSnapshot(
      waiting: waiting, running: running == nil ? 0 : 1, reason: running?.kept.reason.value,
      next: trailing?.kept.reason.value,
      isClosed: isClosed)
  }
}

// MARK: - Arriving

extension ReloaderState {
  package enum Arrival: Sendable {
    /// The caller joins the load, whose task is to be raised.
    case joins(Load, raising: Task<Void, Never>?)
    /// The caller joins the trailing load and replaces its reason. Both tasks are to be raised.
    case merges(Load, raising: [Task<Void, Never>], replacing: Reason)
    /// The new load is to be started. It follows the running load, whose task is to be raised.
    case follows(Load, raising: Task<Void, Never>?)
    /// The new load is to be started; it replaces the loads that the effects end.
    case begins(Load, FlightEffects)
    case rejected(JobRejection)
  }

  /// Decides what a request does.
  ///
  /// Without a caller, the load is for the screen.
  package mutating func ask(_ request: ReloadRequest<Reason>, _ caller: FlightCaller?) -> Arrival {
    if let why = caller?.rejection { return .rejected(why) }
    if isClosed { return .rejected(.closed) }
    guard let running else { return begin(request, caller) }
    switch request.policy {
    case .join: return .joins(running, raising: board(running, caller, request))
    case .rerun:
      let first = running.escalate(to: request.priority)
      guard let trailing else {
        let load = make(request)
        trailing = load
        _ = board(load, caller, request)
        return .follows(load, raising: first)
      }
      let replaced = trailing.kept.reason.value
      trailing.kept.reason.value = request.reason
      let tasks = [first, board(trailing, caller, request)].compactMap(\.self)
      return .merges(trailing, raising: tasks, replacing: replaced)
    case .supersede: return begin(request, caller)
    }
  }

  /// Begins a load that replaces the running and the trailing one, and carries their callers over.
  private mutating func begin(_ request: ReloadRequest<Reason>, _ caller: FlightCaller?) -> Arrival {
    let load = make(request)
    var effects = FlightEffects()
    let replaced = [loading, trailing].compactMap(\.self)
    load.staysWanted = replaced.contains { $0.staysWanted }
    load.carryOver(from: replaced, &drains, &effects)
    loading = load
    trailing = nil
    _ = board(load, caller, request)
    return .begins(load, effects)
  }

  private mutating func make(_ request: ReloadRequest<Reason>) -> Load {
    loads += 1
    let load = Load(
      OwnerAndReason(owner: request.owner, reason: SharedReason(request.reason)), nil, number: loads,
      name: request.name,
      priority: request.priority, parks: true)
    unended[loads] = load
    return load
  }

  private mutating func board(
    _ load: Load, _ caller: FlightCaller?, _ request: ReloadRequest<Reason>
  ) -> Task<Void, Never>? {
    if let caller {
      callers += 1
      caller.place = callers
      caller.flight = load
      load.waiters.append(caller)
    } else {
      load.staysWanted = true
    }
    return load.escalate(to: request.priority)
  }
}

// MARK: - Loading and landing

extension ReloaderState {
  package enum Beginning: Sendable {
    case run(Reason)
    /// The task parks and then calls this again.
    case wait
    case gone
  }

  /// Decides what a load's task does when it runs.
  package func begin(_ load: Load, in task: TaskReference?) -> Beginning {
    if load === trailing { return .wait }
    return load.begin(in: task) ? .run(load.kept.reason.value) : .gone
  }

  package enum Landing: Sendable {
    /// Apply the result, then call ``landed(_:)``.
    case now
    /// An older result is being applied. The task parks and then calls this again.
    case wait
    case gone
  }

  /// Decides whether the result of a load is applied.
  ///
  /// Called in the isolation of `apply`.
  package mutating func land(_ load: Load) -> Landing {
    guard load === loading else { return .gone }
    if landing != nil {
      load.parking!.state = .waiting
      return .wait
    }
    landing = load
    loading = nil
    return .now
  }

  /// Resumes the callers and the next load, after the result has been applied.
  package mutating func landed(_ load: Load) -> FlightEffects {
    landing = nil
    return end(load)
  }

  /// Ends a load that has thrown.
  package mutating func fail(_ load: Load) -> FlightEffects {
    guard load === loading else { return FlightEffects() }
    loading = nil
    return end(load)
  }

  private mutating func end(_ load: Load) -> FlightEffects {
    var effects = FlightEffects()
    load.phase = .landed
    load.handle = nil
    load.waiters.removeAll { caller in
      caller.state = .granted
      effects.common.resume(caller)
    }
    goOn(&effects)
    return effects
  }

  /// Notes the end of a load's task; resumes the callers of `drain` after the last one.
  package mutating func over(_ load: Load) -> Effects {
    unended[load.number] = nil
    var effects = Effects()
    drains.countDown(load.accepted) { effects.resume($0) }
    return effects
  }

  /// Resumes the load that waited for the ended one.
  mutating func goOn(_ effects: inout FlightEffects) {
    guard landing == nil else { return }
    if loading == nil {
      loading = trailing
      trailing = nil
    }
    guard let parked = loading?.parking, parked.isWaiting else { return }
    parked.state = .granted
    effects.common.resume(parked)
  }
}
