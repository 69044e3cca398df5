import CoalescingTasks

// The calls of the library, each with what the record has to know of it.

extension DeadlockSystem {
  func label(of target: DeadlockTarget) -> String {
    switch target {
    case .line(let line): executors[line].name!
    case .keys(let index, []): keyed[index].name!
    case .keys(let index, let keys): "\(keyed[index].name!)[\(names(keys).joined(separator: ", "))]"
    case .write(let keys?): "repo[\(keys.map { "\($0)" }.joined(separator: ", "))]"
    case .write(nil): "repo"
    case .read(let key, _): "repo[\(key)]"
    case .flight(let key): "\(coalescer(of: key).name!)[\(key)]"
    case .reload: screen!.name!
    case .renewal: session!.name!
    }
  }

  private func names(_ keys: [Int]) -> [String] { keys.map { DeadlockSystem.keys[$0] } }

  private func coalescer(of key: Int) -> TaskCoalescer<Int, Int> { coalescers[key % coalescers.count] }

  /// Gives the turn its places.
  ///
  /// A job that is called inside another of its executor goes before those that have not begun.
  func line(up turn: Turn, for target: DeadlockTarget, in place: Place? = nil) {
    typealias Record = DeadlockRecord
    let (queue, keys, slot): (Record.Queue, [Record.Queue]?, Record.Slot?) =
      switch target {
      case .line(let line): (.line(line), nil, nil)
      case .keys(let index, let keys): (.keys(index), keys.map { .key(index, $0) }, .keys(index))
      case .write(let keys): (.repository, keys?.map { .read($0) }, nil)
      case .read(let key, _): (.repository, [.read(key)], .reads)
      case .flight, .reload, .renewal: (.flights, [], nil)
      }
    guard let keys else { return record.line(up: turn, with: [.init(queue: queue, isShared: false)]) }
    let isRead = if case .read = target { true } else { false }
    let isNested = isInside(queue, place)
    record.line(
      up: turn,
      with: [.init(queue: queue, isShared: true, isFirst: isNested)]
        + keys.map { .init(queue: $0, isShared: isRead, isFirst: isNested) },
      slot: isNested ? nil : slot)
  }

  func holds(_ place: Place?, _ isMeant: (Turn) -> Bool) -> Bool {
    place?.turn?.chain.contains(where: isMeant) ?? false
  }

  /// Whether the code runs in a turn that has a place there.
  func isInside(_ queue: DeadlockRecord.Queue, _ place: Place?) -> Bool {
    holds(place) { $0.claims.contains { $0.queue == queue } }
  }

  /// The body of a job, of a read or of a flight.
  func run(_ turn: Turn, _ acts: Acts, _ place: Place) async -> Int {
    world.note(place.name, "begins", "\(turn.label) \(turn.id)")
    world.expect(!turn.hasBegun && !turn.hasEnded, "a job runs once, and not if it was rejected", turn.label)
    world.expect(record.mayBegin(turn), "a job runs when those before it have ended", "\(turn.label) \(turn.id)")
    turn.begun = clock.milliseconds
    await play(acts, place)
    world.note(place.name, "ends", "\(turn.label) \(turn.id)")
    record.end(turn)
    return turn.id
  }

  func call(_ target: DeadlockTarget, _ acts: Acts, _ isLimited: Bool, _ place: Place) async {
    switch target {
    case .line, .keys, .write: await enqueue(target, acts, isLimited, place)
    case .read(let key, let isText): await read(Read(key: key, isText: isText, isLimited: isLimited), acts, place)
    case .flight, .reload, .renewal: await fly(target, acts, place)
    }
  }

  /// In milliseconds.
  private static let limit = 5
  var deadline: Int { clock.milliseconds + DeadlockSystem.limit }
  func limit(_ isLimited: Bool) -> Duration? { isLimited ? .milliseconds(DeadlockSystem.limit) : nil }

  private func enqueue(_ target: DeadlockTarget, _ acts: Acts, _ isLimited: Bool, _ place: Place) async {
    let turn = record.makeTurn(label(of: target), outer: place.turn)
    if isLimited { turn.deadline = deadline }
    if place.tree.isCancelled { record.end(turn) } else { line(up: turn, for: target, in: place) }
    let (inside, limit) = (Place(place.name, in: turn, tree: place.tree), limit(isLimited))
    await ask(Call(turn.label, .job(turn), inside: place.turn, place.tree), place) {
      switch target {
      case .line(let line): try await executors[line].enqueue(waitingAtMost: limit) { await run(turn, acts, inside) }
      case .keys(let index, let keys) where keys.count == 1:
        try await keyed[index].enqueue(for: names(keys)[0], waitingAtMost: limit) { await run(turn, acts, inside) }
      case .keys(let index, let keys):
        try await keyed[index].enqueue(touching: names(keys), waitingAtMost: limit) { await run(turn, acts, inside) }
      case .write(let keys?):
        try await repository.write(touching: keys, waitingAtMost: limit) { await run(turn, acts, inside) }
      case .write(nil): try await repository.write(waitingAtMost: limit) { await run(turn, acts, inside) }
      case .read, .flight, .reload, .renewal: preconditionFailure("it is shared")
      }
    }
  }

  func submit(_ target: DeadlockTarget, _ acts: Acts, _ place: Place) -> (SubmittedJob<Int>, Turn) {
    let turn = record.makeTurn(label(of: target), outer: nil)
    line(up: turn, for: target)
    world.note(place.name, "submits", "\(turn.label) \(turn.id)")
    let inside = Place("\(place.name)/\(turn.label)", in: turn)
    let job: @Sendable () async throws -> Int = { await self.run(turn, acts, inside) }
    let handle =
      switch target {
      case .line(let line): executors[line].submit(job)
      case .keys(let index, let keys) where keys.count == 1: keyed[index].submit(for: names(keys)[0], job)
      case .keys(let index, let keys): keyed[index].submit(touching: names(keys), job)
      case .write(let keys?): repository.submitWrite(touching: keys, job)
      case .write(nil): repository.submitWrite(job)
      case .read, .flight, .reload, .renewal: preconditionFailure("it is not submitted")
      }
    return (handle, turn)
  }

  func drain(_ queue: DeadlockRecord.Queue, _ place: Place) async {
    let label =
      switch queue {
      case .line(let line): label(of: .line(line))
      case .keys(let index): label(of: .keys(index, []))
      case .key(let index, let key): label(of: .keys(index, [key]))
      case .repository, .read: label(of: .write(nil))
      case .flights: coalescers[0].name!
      }
    let call = Call(label, .idle(record.queues[queue] ?? []), inside: place.turn, place.tree)
    await ask(call, place) {
      switch queue {
      case .line(let line): try await executors[line].drain()
      case .keys(let index): try await keyed[index].drain()
      case .key(let index, let key): try await keyed[index].drain(for: DeadlockSystem.keys[key])
      case .repository: try await repository.drain()
      case .flights: for coalescer in coalescers { try await coalescer.drain() }
      case .read: preconditionFailure("it is not drained")
      }
      return 0
    }
  }
}

// MARK: - What is shared

extension DeadlockSystem {
  private func fly(_ target: DeadlockTarget, _ acts: Acts, _ place: Place) async {
    var leads: Turn?
    let flight: Turn
    if let running = flights[target], !running.hasEnded, !running.callers.isEmpty {
      flight = running
    } else {
      flight = record.makeTurn(label(of: target), outer: nil)
      leads = flight
      if place.tree.isCancelled {
        record.end(flight)
      } else {
        if case .flight = target { line(up: flight, for: target) }
        flights[target] = flight
      }
    }
    let call = Call(flight.label, .shared(flight), inside: place.turn, place.tree)
    world.note(place.name, leads == nil ? "joins" : "leads", "\(flight.label) \(flight.id)")
    if !place.tree.isCancelled { flight.callers.append(call) }
    let operation = { @Sendable [leads] in await self.runShared(leads, acts, place.name) }
    await ask(call, place) {
      try await world.calmly {
        switch target {
        case .flight(let key): try await coalescer(of: key).value(for: key) { await operation() }
        case .reload: try await screen!.reload(Reason(load: operation))
        case .renewal: try await session!.value()
        case .line, .keys, .write, .read: preconditionFailure("it is no flight")
        }
      }
    }
  }

  func runShared(_ turn: Turn?, _ acts: Acts, _ name: String) async -> Int {
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
