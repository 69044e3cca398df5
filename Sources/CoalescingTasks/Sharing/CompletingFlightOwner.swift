/// An owner of flights whose calls may have completion handlers, which `drain` awaits.
package protocol CompletingFlightOwner: DrainedFlightOwner, CallCounter {
  func withDrains<Result: Sendable>(_ body: (inout FlightDrains) -> Result) -> Result
}

extension CompletingFlightOwner {
  package func beginCall() -> UInt64 { withDrains { $0.beginCall() } }

  package func endCall(_ number: UInt64) {
    withDrains { drains in
      var resumed = Few<Suspension>.none
      drains.endCall(number) { resumed.append(waiter: $0) }
      return resumed
    }.resumeAll()
  }
}
