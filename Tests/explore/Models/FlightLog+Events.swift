import SerialTasks

// MARK: - What the coalescer reports

extension FlightLog {
  func report(_ event: TaskEvent) {
    guard let call = calls.firstIndex(where: { $0.name == event.job }) else {
      return world.expect(false, "what is reported was asked for", "\(event)")
    }
    switch event.kind {
    case .waiting, .heldTooLong, .stalled, .replaced: world.expect(false, "a flight has no line", calls[call].name)
    case .began: begins(call, event.place ?? 0)
    case .joined: joins(call, event.place ?? 0)
    case .served: serves(call)
    case .finished: finishes(call, failed: false)
    case .failed: finishes(call, failed: true)
    case .rejected(let why), .left(let why):
      if why == .withdrawn { calls[call].isToldWithdrawn = true }
    }
    world.point()
    if case .finished = event.kind { lands(call) }
  }

  private func begins(_ call: Int, _ number: UInt64) {
    let asker = calls[call]
    world.note(asker.name, "leads", "\(asker.key)")
    world.expect(
      !asker.wasCancelled || asker.expiresAfter != nil, "cancelled before the call starts nothing", asker.name)
    world.expect(!asker.wasCleared, "who asked before its key was cancelled starts nothing afterwards", asker.name)
    // Who comes again looks at the clock again, unseen.
    let reading = asker.boardings == 0 ? asker.reading : nil
    for other in flights.indices where flights[other].key == asker.key && flights[other].isOpen {
      let flight = flights[other]
      if let isTooOld = isTooOld(flight, at: reading) {
        world.expect(
          isTooOld || flight.isCancelled || isUnwanted(flight), "callers that come while an operation runs join it",
          "\(asker.name) leads beside \(calls[flight.owner].name)")
      }
      if joinWindow != nil { flights[other].isDetached = true }
    }
    flights.append(
      Flight(
        owner: call, key: asker.key, expiresAfter: asker.expiresAfter, number: number, registered: tick(),
        began: reading, riders: asker.expiresAfter == nil ? [call] : []))
    board(call, flights.count - 1)
  }

  private func joins(_ call: Int, _ number: UInt64) {
    let asker = calls[call]
    guard let index = flights.lastIndex(where: { $0.number == number }) else {
      return world.expect(false, "a flight is reported before it is joined", asker.name)
    }
    let flight = flights[index]
    let detail = "\(asker.name) joins \(calls[flight.owner].name)"
    world.note(asker.name, "joins", calls[flight.owner].name)
    world.expect(flight.key == asker.key, "a caller joins a flight of its own key", detail)
    world.expect(!asker.wasCancelled, "cancelled before the call joins nothing", detail)
    world.expect(!isForgotten(flight), "no caller joins what was invalidated or cancelled", detail)
    world.expect(!flight.isCancelled, "no caller inherits a cancelled operation", detail)
    world.expect(!flight.hasAnswered, "no caller joins a flight that has landed", detail)
    let isTooOld = isTooOld(flight, at: asker.boardings == 0 ? asker.reading : nil) ?? false
    world.expect(!isTooOld, "no caller joins a flight older than the join window", detail)
    flights[index].riders.append(call)
    board(call, index)
  }

  /// Whether all callers have left it; the last to go cancels it.
  func isUnwanted(_ flight: Flight) -> Bool {
    !flight.isPrefetch && !runsToEnd && flight.riders.allSatisfy { calls[$0].cancelled != nil }
  }

  /// Whether the flight is too old to be joined by who reads this from the clock; `nil` if that is not known.
  private func isTooOld(_ flight: Flight, at reading: Int?) -> Bool? {
    guard let joinWindow else { return false }
    guard let reading, let began = flight.began else { return nil }
    return reading - began >= joinWindow
  }

  private func board(_ call: Int, _ flight: Int) {
    clock.onReading = nil
    calls[call].flight = flight
    calls[call].boarded = tick()
    calls[call].boardings += 1
  }

  private func serves(_ call: Int) {
    world.note(calls[call].name, "is served")
    clock.onReading = nil
    calls[call].served = tick()
  }

  private func finishes(_ call: Int, failed: Bool) {
    guard let flight = flights.lastIndex(where: { $0.owner == call }) else { return }
    world.expect(!flights[flight].isFinished, "a flight is reported finished once", calls[call].name)
    flights[flight].isFinished = true
    // Withdrawn in time: its operation never begins, and it is reported to have failed.
    if flights[flight].runs == 0 {
      world.expect(flights[flight].isWithdrawn, "an operation that is wanted runs", calls[call].name)
      return world.expect(failed, "an operation that never began did not succeed", calls[call].name)
    }
    world.expect(flights[flight].hasEnded, "a flight is reported finished when its operation has ended")
    world.expect((flights[flight].error != nil) == failed, "a flight is reported as it ended", calls[call].name)
  }

  /// The flight's own task looks at the clock next, before anybody else can.
  private func lands(_ call: Int) {
    guard let flight = flights.lastIndex(where: { $0.owner == call }), flights[flight].isPrefetch else { return }
    clock.onReading = { self.flights[flight].landed = $0 }
  }

  /// Whether the key was invalidated or cancelled since the flight began, and before the moment.
  func isForgotten(_ flight: Flight, before moment: Int = .max) -> Bool {
    forgotten.contains { $0.key == flight.key && $0.moment > flight.registered && $0.moment < moment }
  }
}
