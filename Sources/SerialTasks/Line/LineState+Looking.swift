extension LineState {
  /// Calls the closure with the jobs that directly block a waiting one, each with its key's queue, or `nil` for that
  /// of all jobs.
  ///
  /// With `mayJump`, with jobs that have a turn instead, if everything ahead waits for them and nothing else.
  func forEachInTheWay(of job: Job, mayJump: Bool = true, _ body: (JobQueue?, Job) -> Void) {
    let mayJump = mayJump && (slots == nil || needsSlot(job))
    if !all.isReady(job) { for ahead in all.inTheWay(of: job, mayJump: mayJump) { body(nil, ahead) } }
    job.forEachKey { place, queue in
      if !queue.isReady(place) { for ahead in queue.inTheWay(of: place, mayJump: mayJump) { body(queue, ahead) } }
    }
  }

  /// Counts in the queue with the most jobs ahead.
  func countAhead(of job: Job) -> Int {
    var most = 0
    job.forEachPlace(all) { place, queue in if !queue.isReady(place) { most = max(most, queue.countAhead(of: place)) } }
    if most == 0, job.pending == 0, !isPaused, let slots, needsSlot(job) { most = slots.taken }
    return most
  }

  // MARK: Deadlocks

  package func blockers(of job: Job) -> Blockers { job.isWaiting ? blockers(ofEndOf: job) : .none }

  package func blockers(of drainer: LineDrainer) -> Blockers {
    guard drainer.isWaiting else { return .none }
    var search = BlockerSearch()
    forEachInTheWay(of: drainer) { search.add($1) }
    return blockers(&search)
  }

  package func blockers(ofEndOf job: Job) -> Blockers {
    guard job.isPresent else { return .none }
    var search = BlockerSearch()
    search.add(job)
    return blockers(&search)
  }

  private func forEachInTheWay(of drainer: LineDrainer, _ body: (JobQueue?, Job) -> Void) {
    if drainer.pauses { return forEachRunning { body(nil, $0) } }
    (drainer.queue ?? all).forEachJob { if drainer.waits(for: $0) { body(drainer.queue, $0) } }
  }

  private func blockers(_ search: inout BlockerSearch) -> Blockers {
    var (awaitsSlot, heldBack): (Bool, [Job]) = (false, [])
    let isPauseAwaited = isPauseAwaited
    while let job = search.waiting.popLast() {
      forEachInTheWay(of: job) { search.add($1) }
      if let slots, needsSlot(job), slots.areTaken { awaitsSlot = true }
      if isPauseAwaited, isHeldBack(job) { heldBack.append(job) }
    }
    var blockers = Blockers(all: search.running.map { node(of: $0) })
    if awaitsSlot { forEachSlotHolder { blockers.any.append(node(of: $0)) } }
    if !heldBack.isEmpty { blockers.pause = pause(holding: heldBack) }
    return blockers
  }

  /// Returns the pause; it ends when what runs has ended and the waiting caller has resumed the line.
  func pause(holding jobs: [Job], _ goOn: @escaping @Sendable () -> Void = {}) -> Blockers.Pause {
    var running: [WaitNode] = []
    forEachRunning { if !$0.waitsInTurn { running.append(node(of: $0)) } }
    return Blockers.Pause(until: running) { [line = line!] in
      for job in jobs { line.letPass(job) }
      goOn()
    }
  }

  private struct BlockerSearch {
    var running: [Job] = []
    var waiting: [Job] = []
    private var seen: Set<ObjectIdentifier> = []

    mutating func add(_ job: Job) {
      guard seen.insert(ObjectIdentifier(job)).inserted else { return }
      if job.isWaiting { waiting.append(job) } else { running.append(job) }
    }
  }

  /// Names, for each turn at these places, the first waiting caller whose task was started in it.
  func callersStarted(inTurnsAt places: Set<Place>) -> [Place: String] {
    var turns: [(place: Place, generation: TurnGeneration)] = []
    forEachRunning { if places.contains($0.place) { turns.append(($0.place, node(of: $0).generation)) } }
    var names: [Place: String] = [:]
    all.forEachJob { job in
      func look(at caller: Waiter) {
        guard caller.isWaiting, let started = caller.startedIn, started.goesOn,
          let turn = turns.first(where: { $0.generation == started.generation }), names[turn.place] == nil,
          blockers(ofEndOf: job).turns.contains(where: { $0.generation == started.generation })
        else { return }
        names[turn.place] = caller.name ?? "job \(job.place)"
      }
      if job.hasSharers { job.forEachSharer(look) } else { look(at: job) }
    }
    return names
  }

  func node(of job: Job) -> WaitNode { job.node ?? line }

  /// Returns the turns for an arriving caller of `pauseAndWait`: what they wait for may be held back.
  package func turns() -> [WaitNode] {
    var turns: [WaitNode] = []
    forEachRunning { turns.append(node(of: $0)) }
    return turns
  }

  /// Returns the shortest path from a waiter to the job with this turn; through slots only if there is no other.
  package func meeting(of job: Job, with turn: WaitNode) -> LineMeeting {
    job.isWaiting ? meeting(of: job, nil, with: turn) : LineMeeting()
  }

  package func meeting(of drainer: LineDrainer, with turn: WaitNode) -> LineMeeting {
    drainer.isWaiting ? meeting(of: nil, drainer, with: turn) : LineMeeting()
  }

  private func meeting(of asking: Job?, _ drainer: LineDrainer?, with turn: WaitNode) -> LineMeeting {
    var found: [LineMeeting.Step] = []
    var seen: Set<ObjectIdentifier> = []
    var (next, atSlot): (Int?, LineMeeting?) = (nil, nil)
    while true {
      let job = next.map { found[$0].ahead } ?? asking
      if next != nil, let job, !job.isWaiting {
        if node(of: job) === turn { return LineMeeting(asking: asking, way: way(over: found, to: next)) }
      } else {
        func find(_ queue: JobQueue?, _ ahead: Job) {
          if !seen.insert(ObjectIdentifier(ahead)).inserted { return }
          found.append(LineMeeting.Step(waiting: next == nil ? nil : job, queue: queue, ahead: ahead, before: next))
        }
        if let job { forEachInTheWay(of: job, find) } else { forEachInTheWay(of: drainer!, find) }
        if atSlot == nil, let job, let slots, needsSlot(job), slots.areTaken {
          var holders: [WaitNode] = []
          forEachSlotHolder { holders.append(node(of: $0)) }
          if holders.contains(where: { $0 === turn }) {
            atSlot = LineMeeting(asking: asking, way: way(over: found, to: next), slotHolders: holders)
          }
        }
      }
      next = next.map { $0 + 1 } ?? 0
      if next == found.count { return atSlot ?? LineMeeting() }
    }
  }

  private func way(over found: [LineMeeting.Step], to last: Int?) -> [LineMeeting.Step] {
    var (way, next): ([LineMeeting.Step], Int?) = ([], last)
    while let index = next {
      way.append(found[index])
      next = found[index].before
    }
    return way.reversed()
  }

  // MARK: Reports

  /// Lists holders and waiters in the order of places; the waiters with the turn, if only one runs; O(jobs).
  package mutating func holdings(label: String) -> [Holding] {
    var (found, waiting): ([Holding], [Holding.Waiting]) = ([], [])
    all.forEachJob { job in
      var sharers: [Holding.Waiting] = []
      job.forEachSharer { sharers.append(Holding.Waiting(job: $0.name, start: $0.start)) }
      if !job.isWaiting, !job.waitsInTurn {
        let name = { @Sendable in job.label(of: label) }
        found.append(Holding(name: name, job: job.name, place: job.place, waiting: sharers))
      } else {
        waiting += job.hasSharers ? sharers : [Holding.Waiting(job: job.name, start: job.start, isOnHold: job.isOnHold)]
      }
    }
    rare?.drainers.forEach { waiting.append(Holding.Waiting(drainer: $0)) }
    if waiting.isEmpty { return found }
    if found.count == 1, let only = found.first, granted == 1 {
      found[0].waiting = only.waiting + waiting
    } else {
      found.append(Holding(name: { label }, isHeld: false, waiting: waiting))
    }
    return found
  }
}

extension Holding.Waiting {
  package init(drainer: Waiter) { self.init(job: drainer.pauses ? "pauseAndWait()" : "drain()", start: drainer.start) }
}

/// The path from a waiter through waiting jobs to one that has a turn.
package struct LineMeeting: Sendable {
  struct Step: Sendable {
    let waiting: Job?
    let queue: JobQueue?
    let ahead: Job
    let before: Int?
  }

  var asking: Job?
  var way: [Step] = []
  var slotHolders: [WaitNode] = []

  /// Names each meeting on the way, and finally the turn or the slots, unless already named.
  func named(in line: Line) -> Meeting {
    var names: [@Sendable () -> String] = way.map { step in
      {
        if let key = step.queue?.label { return line.label([key]) }
        return line.label(touching: step.waiting ?? asking)
      }
    }
    if !slotHolders.isEmpty {
      let (last, holders) = (way.last?.ahead ?? asking, slotHolders)
      if way.isEmpty { names.append { line.label(touching: last) } }
      names.append {
        "slots of \(line.label) (\(holders.count), held by \(holders.map(\.jobLabel).joined(separator: ", ")))"
      }
    } else if let last = way.last, last.queue == nil {
      names.append { line.label(touching: last.ahead) }
    }
    return Meeting(names: names)
  }
}
