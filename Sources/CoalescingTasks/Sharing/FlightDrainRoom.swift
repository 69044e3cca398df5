/// An owner of flights that callers of `drain` wait for.
@usableFromInline
package protocol DrainedFlightOwner: FlightOwner, ShutsDown where Boarded == Flight<Kept, Answer> {
  associatedtype Kept: KeptOfFlight
  associatedtype Answer

  var label: String { get }

  var reporter: Reporter? { get }

  /// Calls the closure under the lock, with the callers of `drain` and the flights, wanted or not.
  func withDrains<Result: Sendable>(_ body: (inout FlightDrains, _ unended: [Flight<Kept, Answer>]) -> Result) -> Result

  /// Calls ``ShutDownState/shutDown(_:withdraws:after:)`` under the lock.
  func shutDown(_ drainer: Caller, withdraws: Bool, after first: Caller?) -> (ShutDownStep, FlightEffects<Boarded>?)
}

extension DrainedFlightOwner {
  @_alwaysEmitIntoClient package var reports: Bool { reporter != nil }

  /// Called before the flight's task is created.
  @usableFromInline
  package func beginWait(_ flight: Boarded, keys: (any KeyNames)? = nil, ahead: @autoclosure () -> Int) {
    guard let reporter else { return }
    let now = clock.now
    locked { flight.parking!.start = WaitStart(at: now) }
    reporter.report(.waiting, executor: label, keys: keys, flight.name, flight.number, at: now, ahead: ahead())
  }

  @usableFromInline
  package func beginShutDown(hasTime: Bool) -> BegunShutDown { FlightDrainRoom(self).beginShutDown(hasTime: hasTime) }
}

final class FlightDrainRoom<Owner: DrainedFlightOwner>: DrainRoom {
  private let owner: Owner

  init(_ owner: Owner) { self.owner = owner }

  var clock: AnyClock { owner.clock }
  var isIdle: Bool { owner.withDrains { $1.isEmpty && !$0.hasOpenCalls } }

  func label(of drainer: Caller) -> String { owner.label }

  func makeDrainer() -> Caller { Caller(.drainer, priority: Task.currentPriority.rawValue) }

  func join(_ drainer: Caller) -> (Arrival, FlightEffects<Owner.Boarded>?) {
    (owner.withDrains { drains, unended in drains.wait(drainer, for: unended.accepted) }, nil)
  }

  func shutDown(
    _ drainer: Caller, withdraws: Bool, after first: Caller?
  ) -> (ShutDownStep, FlightEffects<Owner.Boarded>?) { owner.shutDown(drainer, withdraws: withdraws, after: first) }

  func carryOut(_ effects: FlightEffects<Owner.Boarded>) { owner.carryOut(effects) }
  func park(_ drainer: Caller, _ suspension: Suspension) -> Bool { owner.locked { drainer.park(suspension) } }

  func leave(_ drainer: Caller, _ why: JobRejection) {
    let suspension = owner.withDrains { drains, _ -> Suspension? in
      guard drainer.isWaiting else { return nil }
      drains.remove(drainer)
      drainer.reject(why)
      return drainer.takeSuspension()
    }
    suspension?.resume()
  }

  func rejection(of drainer: Caller) -> JobRejection? { owner.locked { drainer.rejection } }

  func blockers(of drainer: Caller) -> Blockers {
    .all(owner.withDrains { drains, unended in unended.filter { drains.waits(drainer, for: $0.accepted) } })
  }

  func stake(of drainer: Caller) -> Stake? { Stake(ObjectIdentifier(owner), label: owner.label, mode: .drain) }
}
