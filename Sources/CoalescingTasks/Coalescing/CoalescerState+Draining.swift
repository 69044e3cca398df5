extension CoalescerState: DrainedFlights {
  package mutating func close(_ effects: inout FlightEffects<Flight>) { isClosed = true }

  package var unended: [Flight] {
    Array(current.values) + Array(trailing.values) + allDetached + Array(abandoned.values)
  }
}
