import SerialTasks

// MARK: - How calls are answered

extension FlightLog {
  func returns(_ call: Int, _ index: Int, _ source: CoalescedAnswer<Value>.Source) {
    let (asker, flight) = (calls[call], flights[index])
    let detail = "\(asker.name), with what \(calls[flight.owner].name) returned"
    world.note(asker.name, "is answered", "by \(calls[flight.owner].name), \(source)")
    answer(call)
    world.expect(flight.key == asker.key, "a call is answered for its own key", detail)
    world.expect(flight.hasEnded && flight.error == nil, "a call returns what an operation returned", detail)
    world.expect(!flight.isWithdrawn, "what a withdrawn flight returns goes nowhere", detail)
    switch source {
    case .led: world.expect(flight.owner == call, "who led returns what its own operation returned", detail)
    case .joined:
      let isRight = asker.flight == index && flight.owner != call
      world.expect(isRight, "who joined returns what the flight it joined returned", detail)
      world.expect(flight.served == 0, "a prefetch that was joined is consumed, and not kept", detail)
    case .prefetched: isServed(call, index, detail)
    }
    let isKept = asker.mustBeServed && source != .prefetched
    world.expect(!isKept, "a call is served at once with what is kept", detail)
    if source != .prefetched { isAnswered(call, index, detail) }
  }

  private func isServed(_ call: Int, _ index: Int, _ detail: String) {
    flights[index].served += 1
    let (asker, flight) = (calls[call], flights[index])
    world.expect(flight.isPrefetch, "without prefetch nothing is kept", detail)
    world.expect(flight.served == 1, "what was prefetched is consumed once", detail)
    world.expect(!flight.hasAnswered, "a prefetch that was joined is consumed, and not kept", detail)
    world.expect(
      !isForgotten(flight, before: asker.served ?? 0), "nothing is kept that was invalidated or cancelled", detail)
    guard let landed = flight.landed, let expiresAfter = flight.expiresAfter, let reading = asker.reading else {
      return
    }
    world.expect(reading < landed + expiresAfter, "past its expiry a result is gone", detail)
  }

  /// Those who waited for the flight are answered by it.
  private func isAnswered(_ call: Int, _ index: Int, _ detail: String) {
    flights[index].hasAnswered = true
    let asker = calls[call]
    world.expect(!asker.mustBeWithdrawn, "those who wait are rejected when their key is cancelled", detail)
    let quiet = flights[index].quiet
    let stayed = (asker.cancelled ?? .max) < quiet && asker.boarded < quiet
    world.expect(!stayed, "who is cancelled leaves at once", detail)
  }

  func fails(_ call: Int, _ error: any Error) {
    let asker = calls[call]
    answer(call)
    switch error {
    case is CancellationError:
      world.note(asker.name, "leaves")
      world.expect(asker.cancelled != nil, "no caller leaves that was not cancelled", asker.name)
      world.expect(!asker.mustBeWithdrawn, "those who wait are rejected when their key is cancelled", asker.name)
      if let flight = asker.flight { checkLeft(flight) }
    case JobRejection.withdrawn:
      world.note(asker.name, "is withdrawn")
      world.expect(asker.wasCleared, "no caller is withdrawn whose key was not cancelled", asker.name)
      world.expect(asker.isToldWithdrawn, "a withdrawal is reported", asker.name)
    case let error as FlightError:
      world.note(asker.name, "is answered", "with an error")
      guard let index = asker.flight else { return world.expect(false, "no error comes from nowhere", asker.name) }
      let flight = flights[index]
      world.expect(error === flight.error && flight.hasEnded, "the operation's own error comes back", asker.name)
      world.expect(!flight.isPrefetch, "the error of a prefetch reaches no caller", asker.name)
      world.expect(!flight.isWithdrawn, "what a withdrawn flight throws goes nowhere", asker.name)
      isAnswered(call, index, asker.name)
    default: world.expect(false, "no other error comes out of a call", "\(asker.name): \(error)")
    }
  }

  /// The last to leave has its operation cancelled; but a task that is withdrawing it cancels it last, and may be later.
  func checkLeft(_ index: Int) {
    let flight = flights[index]
    guard flight.riders.allSatisfy({ calls[$0].isAnswered }), !flight.isBeingWithdrawn else { return }
    guard !flight.isPrefetch, !runsToEnd, !flight.hasEnded, flight.runs == 1 else { return }
    let name = calls[flight.owner].name
    world.expect(flight.isCancelled, "when the last caller leaves, the operation is cancelled", name)
  }

  private func answer(_ call: Int) {
    world.expect(!calls[call].isAnswered, "each call is answered once", "\(calls[call].name) is answered again")
    calls[call].isAnswered = true
  }

  /// What must be true when every task has ended.
  func check() {
    for call in calls where call.expiresAfter == nil {
      world.expect(call.isAnswered, "each call is answered", call.name)
    }
    for flight in flights {
      let name = calls[flight.owner].name
      // One that was withdrawn before it could begin need not.
      let isWell = flight.runs == 1 ? flight.isFinished : flight.runs == 0 && flight.isWithdrawn
      world.expect(isWell, "each flight has one operation and comes to its end", name)
    }
    let snapshot = coalescer.snapshot
    world.expect(
      snapshot.flights == 0 && snapshot.waiting == 0 && snapshot.stored == 0, "nothing is left in the end",
      "\(snapshot)")
    world.expect(values.allSatisfy { $0.value == nil }, "what has expired does not stay in memory")
  }
}
