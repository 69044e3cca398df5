import SerialTasks

// The calls of the library, each with what the record has to know of it.

extension DeadlockSystem {
  func label(of line: Int) -> String { line < 3 ? executors[line].name! : "keys[\(line == 3 ? "x" : "y")]" }

  private func key(_ line: Int) -> String { line == 3 ? "x" : "y" }

  /// The body of a job, of a read or of a flight.
  private func run(_ turn: Turn, _ acts: DeadlockAct.Acts, _ place: Place) async -> Int {
    world.note(place.name, "begins", "\(turn.label) \(turn.id)")
    world.expect(!turn.hasBegun && !turn.hasEnded, "a job runs once, and not if it was rejected", turn.label)
    world.expect(record.mayBegin(turn), "a job runs when those before it have ended", "\(turn.label) \(turn.id)")
    turn.hasBegun = true
    await play(acts, place)
    world.note(place.name, "ends", "\(turn.label) \(turn.id)")
    record.end(turn)
    return turn.id
  }

  func enqueue(_ line: Int, _ acts: DeadlockAct.Acts, _ place: Place) async {
    let turn = record.makeTurn(label(of: line), outer: place.turn)
    if place.tree.isCancelled { record.end(turn) } else { record.line(up: turn, in: line) }
    let inside = Place(place.name, in: turn, tree: place.tree)
    await ask(Call(turn.label, .job(turn), inside: place.turn, place.tree), place) {
      if line < 3 { return try await executors[line].enqueue { await run(turn, acts, inside) } }
      return try await keyed.enqueue(for: key(line)) { await run(turn, acts, inside) }
    }
  }

  func submit(_ line: Int, _ acts: DeadlockAct.Acts, _ place: Place) -> (SubmittedJob<Int, any Error>, Turn) {
    let turn = record.makeTurn(label(of: line), outer: nil)
    record.line(up: turn, in: line)
    world.note(place.name, "submits", "\(turn.label) \(turn.id)")
    let inside = Place("\(place.name)/\(turn.label)", in: turn)
    if line < 3 { return (executors[line].submit { await self.run(turn, acts, inside) }, turn) }
    return (keyed.submit(for: key(line)) { await self.run(turn, acts, inside) }, turn)
  }

  func drain(_ line: Int) async throws {
    if line < 3 { try await executors[line].drain() } else { try await keyed.drain(for: key(line)) }
  }

  func drain(
    _ lines: [Int], _ label: String, _ place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async {
    await ask(Call(label, .idle(lines), inside: place.turn, place.tree), place) {
      try await body()
      return 0
    }
  }
}

// MARK: - Flights

extension DeadlockSystem {
  func fly(_ key: Int, _ acts: DeadlockAct.Acts, _ place: Place) async {
    let coalescer = coalescers[key % coalescers.count]
    var leads: Turn?
    let flight: Turn
    if let running = flights[key], !running.hasEnded, !running.callers.isEmpty {
      flight = running
    } else {
      flight = record.makeTurn("\(coalescer.name!)[\(key)]", outer: nil)
      leads = flight
      if place.tree.isCancelled { record.end(flight) } else { flights[key] = flight }
    }
    let call = Call(flight.label, .shared(flight), inside: place.turn, place.tree)
    world.note(place.name, leads == nil ? "joins" : "leads", "\(flight.label) \(flight.id)")
    if !place.tree.isCancelled { flight.callers.append(call) }
    await ask(call, place) { [leads] in
      try await world.calmly {
        try await coalescer.value(for: key) { await self.runShared(leads, acts, place.name) }
      }
    }
  }

  private func runShared(_ turn: Turn?, _ acts: DeadlockAct.Acts, _ name: String) async -> Int {
    guard let turn else {
      world.expect(false, "who joins a flight does not run its own operation")
      return 0
    }
    let inside = Place("\(name)/\(turn.label)", in: turn)
    return await withTaskCancellationHandler {
      await run(turn, acts, inside)
    } onCancel: {
      // The last caller to leave cancels it. Unless that was a cancellation, it was rejected, and this is the moment.
      if let last = turn.callers.first, turn.callers.count == 1 { last.verdict = self.record.verdict(on: last) }
      self.record.cancel(inside.tree)
    }
  }
}

// MARK: - Reads and writes

extension DeadlockSystem {
  func read(_ key: Int, _ acts: DeadlockAct.Acts, _ place: Place) async {
    let name = nextRead()
    if !place.tree.isCancelled, isInRepository(place) {
      // A part of the turn that it is in.
      try? await repository.read(key, name: name) { await self.play(acts, place) }
      return
    }
    let call = Call("repo", .unknown, inside: place.turn, place.tree)
    reads.calls[name] = call
    await ask(call, place) {
      try await world.calmly {
        try await repository.read(key, name: name) { await self.runShared(self.turn(of: call), acts, place.name) }
      }
    }
  }

  private func turn(of call: Call) -> Turn? { if case .shared(let turn) = call.needs { turn } else { nil } }

  private func isInRepository(_ place: Place) -> Bool { place.turn?.chain.contains { $0.label == "repo" } ?? false }

  /// Which read a call has joined, or that it has a place of its own, the library says at once, before anybody else goes on.
  func note(_ event: TaskEvent) {
    guard let name = event.job, let call = reads.calls[name], let place = event.place else { return }
    guard case .unknown = call.needs else { return }
    switch event.kind {
    case .joined: join(reads.places[place]!, call)
    case .waiting, .began:
      let turn = record.makeTurn("repo", outer: nil)
      turn.isRead = true
      reads.places[place] = turn
      record.line(up: turn, in: DeadlockRecord.repository)
      join(turn, call)
    case .served, .stalled, .finished, .failed, .rejected, .replaced, .left: break
    }
  }

  private func join(_ turn: Turn, _ call: Call) {
    call.needs = .shared(turn)
    turn.callers.append(call)
    world.note("a read", "has its place", "\(turn.id)")
  }

  func write(_ acts: DeadlockAct.Acts, _ place: Place) async {
    let turn = record.makeTurn("repo", outer: place.turn)
    if place.tree.isCancelled { record.end(turn) } else { record.line(up: turn, in: DeadlockRecord.repository) }
    let inside = Place(place.name, in: turn, tree: place.tree)
    await ask(Call("repo", .job(turn), inside: place.turn, place.tree), place) {
      try await repository.write { await run(turn, acts, inside) }
    }
  }
}
