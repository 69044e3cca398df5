import Testing

@testable import CoalescingTasks
@testable import SerialTasks

/// Who follows, replaces and leaves loads and renewals: the state alone.
@Suite(.watched) struct SuccessionTests {
  private final class Owner: Sendable {}
  private typealias Loads = Succession<OwnerOfFlight, Int>

  private let owner = Owner()

  /// Asks for a flight, and begins it if it is new and does not wait.
  private func ask(
    _ loads: inout Loads, _ policy: SharingPolicy, _ caller: FlightCaller<Loads.Flight>? = FlightCaller(),
    at seconds: Int = 0
  ) -> Loads.Flight {
    let arrival = loads.ask(policy, caller, priority: caller?.priority ?? 0, at: .seconds(seconds)) { number, follows in
      Loads.Flight(
        OwnerOfFlight(owner), nil, number: number, name: nil, priority: 0, began: follows ? nil : .seconds(seconds),
        parks: true)
    }
    switch arrival {
    case .joins(let flight, _, _), .follows(let flight, _): return flight
    case .begins(let flight, _):
      _ = flight.begin(in: nil)
      return flight
    }
  }

  /// Fails if: what waits begins while the newest that it waits for runs, or lands; or when neither does any more, it does not; or it
  /// waits no longer than an older one can be joined.
  @Test func whatWaitsBeginsInItsTurn() {
    var (loads, effects) = (Loads(joinWindow: .seconds(2)), FlightEffects<Loads.Flight>())
    let old = ask(&loads, .join)
    let new = ask(&loads, .join, at: 2)
    let next = ask(&loads, .rerun, at: 3)
    #expect(loads.endOfJoining(before: next) == .seconds(4))
    loads.answer(old, &effects)
    loads.remove(old, &effects)
    #expect(loads.trailing === next && loads.running.map(\.number) == [2])
    loads.remove(new, &effects)
    #expect(loads.trailing == nil && loads.running.map(\.number) == [3])
  }

  /// Fails if: what waits begins while a result is being applied, though what was to run before it has been left; or what is being
  /// applied is abandoned when all have left it.
  @Test func whatWaitsForWhatLands() {
    var (loads, effects) = (Loads(), FlightEffects<Loads.Flight>())
    let first = FlightCaller<Loads.Flight>()
    let landing = ask(&loads, .join, first)
    (loads.landing, loads.running) = (landing, [])
    let caller = FlightCaller<Loads.Flight>()
    let loading = ask(&loads, .supersede, caller)
    let next = ask(&loads, .rerun)
    _ = loads.leave(caller)
    _ = loads.leave(first)
    #expect(landing.phase == .flying && loading.phase == .abandoned)
    #expect(loads.trailing === next && loads.interruptions == 1)
    loads.landing = nil
    loads.goOn(&effects)
    #expect(loads.running.map(\.number) == [3])
  }

  /// Fails if: what was too old to be joined is joined again, because the clock was set back.
  @Test func whatWasTooOldIsNotJoinedAgain() {
    var (loads, effects) = (Loads(joinWindow: .seconds(2)), FlightEffects<Loads.Flight>())
    _ = ask(&loads, .join)
    let new = ask(&loads, .join, at: 2)
    loads.remove(new, &effects)
    #expect(loads.joinable(at: .seconds(1)) == nil)
    #expect(ask(&loads, .join, at: 1).number == 3)
  }

  /// Fails if: what runs to its end is abandoned when all have left, or what still waits is not; or no end of it is counted.
  @Test(arguments: [false, true]) func whatAllHaveLeft(runsToEnd: Bool) {
    var loads = Loads(runsToEnd: runsToEnd)
    let (first, second, third) = (
      FlightCaller<Loads.Flight>(), FlightCaller<Loads.Flight>(), FlightCaller<Loads.Flight>()
    )
    let running = ask(&loads, .join, first)
    let next = ask(&loads, .rerun, second)
    _ = loads.leave(second)
    #expect(next.phase == .abandoned && next.parking!.isRejected && loads.trailing == nil && loads.interruptions == 1)
    let last = ask(&loads, .rerun, third)
    _ = loads.leave(first)
    #expect(running.phase == (runsToEnd ? .flying : .abandoned))
    #expect((loads.trailing === last) == runsToEnd && loads.interruptions == (runsToEnd ? 1 : 2))
    _ = loads.leave(first)
    #expect(loads.interruptions == (runsToEnd ? 1 : 2))
  }

  /// Fails if: what was asked for without a caller is abandoned with the last caller of what replaced it.
  @Test func whatIsWantedWithoutCallers() {
    var loads = Loads()
    _ = ask(&loads, .join, nil)
    let caller = FlightCaller<Loads.Flight>()
    let new = ask(&loads, .supersede, caller)
    _ = loads.leave(caller)
    #expect(new.phase == .flying)
  }

  /// Fails if: what waits is neither replaced nor withdrawn with what runs, or its task is left waiting.
  @Test(arguments: [false, true]) func whatWaitsEndsToo(isReplaced: Bool) {
    var loads = Loads()
    let (first, second) = (FlightCaller<Loads.Flight>(), FlightCaller<Loads.Flight>())
    let running = ask(&loads, .join, first)
    let next = ask(&loads, .rerun, second)
    let new = isReplaced ? ask(&loads, .supersede) : nil
    let effects = isReplaced ? FlightEffects<Loads.Flight>() : loads.withdrawAll()
    #expect(running.phase == .abandoned && next.phase == .abandoned && next.parking!.isRejected)
    #expect(loads.trailing == nil && loads.running.count == (isReplaced ? 1 : 0))
    #expect(first.flight === (new ?? running) && second.flight === (new ?? next))
    #expect(effects.withdrawn.count == (isReplaced ? 0 : 2) && loads.interruptions == (isReplaced ? 0 : 2))
  }

  /// Fails if: who drains goes on before what has replaced the rest has ended, or waits for ever.
  @Test func whatReplacesIsDrainedForTheRest() {
    var loads = Loads()
    let old = ask(&loads, .join)
    let drainer = Waiter(.drainer)
    _ = loads.drains.wait(drainer, for: loads.unended.map(\.accepted))
    let new = ask(&loads, .supersede)
    _ = loads.over(old)
    #expect(drainer.isWaiting)
    _ = loads.over(new)
    #expect(drainer.stage == .granted)
  }

  /// Fails if: a shutdown takes a load that has ended, and whose task is about to end, for one that goes on, or interrupts it.
  @Test(arguments: [false, true]) func whatHasLandedHasEnded(fails: Bool) {
    var state = ReloaderState<Trigger, Int>()
    let request = ReloadRequest(owner: OwnerOfFlight(owner), reason: Trigger.appear, policy: .join)
    guard case .boards(.begins(let load, _), _) = state.ask(request, FlightCaller()), load.begin(in: nil) else {
      Issue.record("nothing is loaded")
      return
    }
    load.handle = Task {}
    if fails { _ = state.fail(load) } else if state.land(load) == .now { _ = state.landed(load) }
    let (step, _) = state.loads.shutDown(Caller(.drainer), withdraws: true, after: nil)
    guard case .waiting(ahead: 0) = step.arrival, step.interruptions == 0 else {
      Issue.record("\(step)")
      return
    }
  }

  /// Fails if: a caller of what waits does not raise what it waits for.
  @Test func whoWaitsRaisesWhatRuns() {
    var loads = Loads()
    let running = ask(&loads, .join)
    for priority in [UInt8(20), 30] {
      _ = ask(&loads, .rerun, FlightCaller<Loads.Flight>(priority: priority))
      #expect(running.raisedTo == priority && loads.trailing?.raisedTo == priority)
    }
  }
}
