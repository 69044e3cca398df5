import CoalescingTasks

extension DeadlockSystem {
  struct Read {
    let key: Int
    let isText: Bool
    let isLimited: Bool
  }

  func read(_ read: Read, _ acts: Acts, _ place: Place) async {
    let name = nextRead()
    if !place.tree.isCancelled, touches(read.key, place) { return await readInTurn(read, acts, name, place) }
    if isInside(.repository, place) { return await readInside(read, acts, name, place) }
    let call = Call(label(of: .read(read.key)), .unknown, inside: place.turn, place.tree)
    if read.isLimited { call.deadline = deadline }
    reads.calls[name] = call
    await ask(call, place) {
      try await world.calmly {
        try await self.read(read, name) { await self.runShared(self.turn(of: call), acts, place.name) }
      }
    }
  }

  private func read(_ read: Read, _ name: String, _ operation: @escaping @Sendable () async -> Int) async throws -> Int
  {
    let (key, limit) = (read.key, limit(read.isLimited))
    if !read.isText { return try await repository.read(key, name: name, waitingAtMost: limit, operation) }
    return Int(try await repository.read(key, name: name, waitingAtMost: limit) { "\(await operation())" })!
  }

  /// In a turn that touches the key: a part of that, which runs at once.
  private func readInTurn(_ read: Read, _ acts: Acts, _ name: String, _ place: Place) async {
    let step = world.scheduler.step
    do {
      _ = try await self.read(read, name) { [world] in
        world.expect(world.scheduler.step == step, "a read of a key of the turn runs at once", place.name)
        await self.play(acts, place)
        return 0
      }
      world.meet("a read in a turn of its key")
    } catch { world.expect(place.tree.isCancelled, "a read of a key of the turn is a part of it", "\(error)") }
  }

  /// In a turn of other keys: a job of its own, which waits for none that has not begun.
  private func readInside(_ read: Read, _ acts: Acts, _ name: String, _ place: Place) async {
    let turn = record.makeTurn(label(of: .read(read.key)), outer: place.turn)
    if read.isLimited { turn.deadline = deadline }
    if place.tree.isCancelled { record.end(turn) } else { line(up: turn, for: .read(read.key), in: place) }
    let inside = Place(place.name, in: turn, tree: place.tree)
    await ask(Call(turn.label, .job(turn), inside: place.turn, place.tree), place) {
      try await self.read(read, name) { await self.run(turn, acts, inside) }
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
      line(up: turn, for: .read(Int(call.asked.dropFirst(5).dropLast())!))
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
