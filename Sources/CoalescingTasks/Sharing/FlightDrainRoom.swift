/// An owner of flights that callers of `drain` wait for.
@usableFromInline
package protocol DrainedFlightOwner: FlightOwner, ShutsDown where Boarded == Flight<Kept, Answer> {
  associatedtype Kept: KeptOfFlight
  associatedtype Answer

  var label: String { get }

  /// Calls the closure under the lock, with the callers of `drain` and the flights, wanted or not.
  func withDrains<Result: Sendable>(_ body: (inout FlightDrains, _ unended: [Flight<Kept, Answer>]) -> Result) -> Result

  /// Calls ``ShutDownState/shutDown(_:)`` under the lock.
  func shutDown(_ event: ShutDownEvent<Caller>) -> (ShutDownStep, FlightEffects<Boarded>?)
}

extension DrainedFlightOwner {
  @usableFromInline
  package func beginShutDown(hasTime: Bool) -> BegunShutDown { FlightDrainRoom(self).beginShutDown(hasTime: hasTime) }
}

package final class FlightDrainRoom<Owner: DrainedFlightOwner>: DrainRoom {
  private let owner: Owner

  package init(_ owner: Owner) { self.owner = owner }

  package var clock: AnyClock { owner.clock }
  package var label: String { owner.label }
  package var isIdle: Bool { owner.withDrains { $1.isEmpty && !$0.hasOpenCalls } }

  package func makeDrainer() -> Caller { Caller(.drainer, priority: Task.currentPriority.rawValue) }

  package func join(_ drainer: Caller) -> (Arrival, FlightEffects<Owner.Boarded>?) {
    (owner.withDrains { drains, unended in drains.wait(drainer, for: unended.map(\.accepted)) }, nil)
  }

  package func shutDown(_ event: ShutDownEvent<Caller>) -> (ShutDownStep, FlightEffects<Owner.Boarded>?) {
    owner.shutDown(event)
  }

  package func carryOut(_ effects: FlightEffects<Owner.Boarded>) { owner.carryOut(effects) }
  package func park(_ drainer: Caller, _ suspension: Suspension) -> Bool { owner.locked { drainer.park(suspension) } }

  package func leave(_ drainer: Caller, _ why: JobRejection) {
    let suspension = owner.withDrains { drains, _ -> Suspension? in
      guard drainer.isWaiting else { return nil }
      drains.remove(drainer)
      drainer.reject(why)
      return drainer.takeSuspension()
    }
    suspension?.resume()
  }

  package func rejection(of drainer: Caller) -> JobRejection? { owner.locked { drainer.rejection } }

  package func blockers(of drainer: Caller) -> Blockers {
    .all(owner.withDrains { drains, unended in unended.filter { drains.waits(drainer, for: $0.accepted) } })
  }

  package func stake(of drainer: Caller) -> Stake? { Stake(ObjectIdentifier(owner), label: owner.label, mode: .drain) }
}
