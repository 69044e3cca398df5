import SerialTasks

// The calls of the library, each with what the record has to know of it.

extension DeadlockSystem {
  func label(of target: DeadlockTarget) -> String {
    switch target {
    case .line(let line): executors[line].name!
    case .keys([]): "keys"
    case .keys(let keys): "keys[\(names(keys).joined(separator: ", "))]"
    case .write(let keys?): "repo[\(keys.map { "\($0)" }.joined(separator: ", "))]"
    case .write(nil): "repo"
    }
  }

  private func names(_ keys: [Int]) -> [String] { keys.map { DeadlockSystem.keys[$0] } }

  /// Gives the turn its places.
  ///
  /// A job that is called inside another of its executor goes before those that have not begun.
  private func line(up turn: Turn, for target: DeadlockTarget, in place: Place? = nil) {
    switch target {
    case .line(let line): record.line(up: turn, with: [.init(queue: .line(line), isShared: false)])
    case .keys(let keys):
      let isNested = isInside(.keys, place)
      record.line(
        up: turn,
        with: [.init(queue: .keys, isShared: true, isFirst: isNested)]
          + keys.map { .init(queue: .key($0), isShared: false, isFirst: isNested) },
        slot: isNested ? nil : .key)
    case .write(nil): record.line(up: turn, with: [.init(queue: .repository, isShared: false)])
    case .write(let keys?):
      let isNested = isInside(.repository, place)
      record.line(
        up: turn,
        with: [.init(queue: .repository, isShared: true, isFirst: isNested)]
          + keys.map { .init(queue: .read($0), isShared: false, isFirst: isNested) })
    }
  }

  private func holds(_ place: Place?, _ isMeant: (Turn) -> Bool) -> Bool {
    place?.turn?.chain.contains(where: isMeant) ?? false
  }

  /// Whether the code runs in a turn that has a place there.
  private func isInside(_ queue: DeadlockRecord.Queue, _ place: Place?) -> Bool {
    holds(place) { $0.claims.contains { $0.queue == queue } }
  }

  /// The body of a job, of a read or of a flight.
  private func run(_ turn: Turn, _ acts: DeadlockAct.Acts, _ place: Place) async -> Int {
    world.note(place.name, "begins", "\(turn.label) \(turn.id)")
    world.expect(!turn.hasBegun && !turn.hasEnded, "a job runs once, and not if it was rejected", turn.label)
    world.expect(record.mayBegin(turn), "a job runs when those before it have ended", "\(turn.label) \(turn.id)")
    turn.begun = clock.milliseconds
    await play(acts, place)
    world.note(place.name, "ends", "\(turn.label) \(turn.id)")
    record.end(turn)
    return turn.id
  }

  func enqueue(_ target: DeadlockTarget, _ acts: DeadlockAct.Acts, _ isLimited: Bool, _ place: Place) async {
    let turn = record.makeTurn(label(of: target), outer: place.turn)
    if isLimited { turn.deadline = clock.milliseconds + DeadlockSystem.limit }
    if place.tree.isCancelled { record.end(turn) } else { line(up: turn, for: target, in: place) }
    let inside = Place(place.name, in: turn, tree: place.tree)
    await ask(Call(turn.label, .job(turn), inside: place.turn, place.tree), place) {
      if isLimited { return try await enqueueForAWhile(target) { await run(turn, acts, inside) } }
      return switch target {
      case .line(let line): try await executors[line].enqueue { await run(turn, acts, inside) }
      case .keys(let keys) where keys.count == 1:
        try await keyed.enqueue(for: names(keys)[0]) { await run(turn, acts, inside) }
      case .keys(let keys): try await keyed.enqueue(touching: names(keys)) { await run(turn, acts, inside) }
      case .write(let keys?): try await repository.write(touching: keys) { await run(turn, acts, inside) }
      case .write(nil): try await repository.write { await run(turn, acts, inside) }
      }
    }
  }

  /// In milliseconds.
  private static let limit = 5

  private nonisolated(nonsending) func enqueueForAWhile(
    _ target: DeadlockTarget, _ job: nonisolated(nonsending) () async -> Int
  ) async throws -> Int {
    let limit = Duration.milliseconds(DeadlockSystem.limit)
    return switch target {
    case .line(let line): try await executors[line].enqueue(waitingAtMost: limit, job)
    case .keys(let keys) where keys.count == 1: try await keyed.enqueue(for: names(keys)[0], waitingAtMost: limit, job)
    case .keys(let keys): try await keyed.enqueue(touching: names(keys), waitingAtMost: limit, job)
    case .write(let keys?): try await repository.write(touching: keys, waitingAtMost: limit, job)
    case .write(nil): try await repository.write(waitingAtMost: limit, job)
    }
  }

  func submit(
    _ target: DeadlockTarget, _ acts: DeadlockAct.Acts, _ place: Place
  ) -> (SubmittedJob<Int>, Turn) {
    let turn = record.makeTurn(label(of: target), outer: nil)
    line(up: turn, for: target)
    world.note(place.name, "submits", "\(turn.label) \(turn.id)")
    let inside = Place("\(place.name)/\(turn.label)", in: turn)
    let job: @Sendable () async throws -> Int = { await self.run(turn, acts, inside) }
    let handle =
      switch target {
      case .line(let line): executors[line].submit(job)
      case .keys(let keys) where keys.count == 1: keyed.submit(for: names(keys)[0], job)
      case .keys(let keys): keyed.submit(touching: names(keys), job)
      case .write(let keys?): repository.submitWrite(touching: keys, job)
      case .write(nil): repository.submitWrite(job)
      }
    return (handle, turn)
  }

  func drain(
    _ queue: DeadlockRecord.Queue, _ label: String, _ place: Place,
    _ body: nonisolated(nonsending) () async throws -> Void
  ) async {
    await ask(Call(label, .idle(record.queues[queue] ?? []), inside: place.turn, place.tree), place) {
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
      if let last = turn.callers.first, turn.callers.count == 1 { last.verdicts.append(self.record.verdict(on: last)) }
      self.record.cancel(inside.tree)
    }
  }
}

// MARK: - Reads

extension DeadlockSystem {
  func read(_ key: Int, _ acts: DeadlockAct.Acts, _ isLimited: Bool, _ place: Place) async {
    let name = nextRead()
    if !place.tree.isCancelled, touches(key, place) { return await readInTurn(key, acts, name, place) }
    if isInside(.repository, place) { return await readInside(key, acts, name, place) }
    let call = Call("repo[\(key)]", .unknown, inside: place.turn, place.tree)
    if isLimited { call.deadline = clock.milliseconds + DeadlockSystem.limit }
    reads.calls[name] = call
    let operation = { @Sendable () async -> Int in await self.runShared(self.turn(of: call), acts, place.name) }
    await ask(call, place) {
      try await world.calmly {
        isLimited
          ? try await repository.read(key, name: name, waitingAtMost: .milliseconds(DeadlockSystem.limit), operation)
          : try await repository.read(key, name: name, operation)
      }
    }
  }

  /// In a turn that touches the key: a part of that, which runs at once.
  private func readInTurn(_ key: Int, _ acts: DeadlockAct.Acts, _ name: String, _ place: Place) async {
    let step = world.scheduler.step
    do {
      try await repository.read(key, name: name) { [world] in
        world.expect(world.scheduler.step == step, "a read of a key of the turn runs at once", place.name)
        await self.play(acts, place)
      }
      world.meet("a read in a turn of its key")
    } catch { world.expect(place.tree.isCancelled, "a read of a key of the turn is a part of it", "\(error)") }
  }

  /// In a turn of other keys: a job of its own, which waits for none that has not begun.
  private func readInside(_ key: Int, _ acts: DeadlockAct.Acts, _ name: String, _ place: Place) async {
    let turn = record.makeTurn("repo[\(key)]", outer: place.turn)
    if place.tree.isCancelled {
      record.end(turn)
    } else {
      record.line(
        up: turn,
        with: [DeadlockRecord.Queue.repository, .read(key)].map { .init(queue: $0, isShared: true, isFirst: true) })
    }
    let inside = Place(place.name, in: turn, tree: place.tree)
    await ask(Call(turn.label, .job(turn), inside: place.turn, place.tree), place) {
      try await repository.read(key, name: name) { await self.run(turn, acts, inside) }
    }
  }

  private func turn(of call: Call) -> Turn? { if case .shared(let turn) = call.needs { turn } else { nil } }

  private func touches(_ key: Int, _ place: Place) -> Bool {
    holds(place) { turn in
      turn.claims.contains { $0.queue == .read(key) || $0.queue == .repository && !$0.isShared }
    }
  }

  /// Which read a call has joined, or that it has a place of its own, the library says at once, before anybody else goes on.
  func note(_ event: TaskEvent) {
    guard let name = event.job, let call = reads.calls[name], let place = event.place else { return }
    guard case .unknown = call.needs else { return }
    switch event.kind {
    case .joined: join(reads.places[place]!, call)
    case .waiting, .began:
      let turn = record.makeTurn(call.asked, outer: nil)
      reads.places[place] = turn
      let key = Int(call.asked.dropFirst(5).dropLast())!
      record.line(
        up: turn, with: [DeadlockRecord.Queue.repository, .read(key)].map { .init(queue: $0, isShared: true) },
        slot: .read)
      join(turn, call)
    default: break
    }
  }

  private func join(_ turn: Turn, _ call: Call) {
    call.needs = .shared(turn)
    turn.callers.append(call)
    world.note("a read", "has its place", "\(turn.id)")
  }
}
