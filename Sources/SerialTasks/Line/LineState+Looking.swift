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
    drainer.isWaiting ? blockers(in: way(from: drainer)) : .none
  }

  package func blockers(ofEndOf job: Job) -> Blockers { job.isPresent ? blockers(in: way(from: job)) : .none }

  private func blockers(in way: [LineMeeting.Step]) -> Blockers {
    var (blockers, heldBack): (Blockers, [Job]) = (.none, [])
    let isPauseAwaited = isPauseAwaited
    for case let job? in way.lazy.map(\.job) {
      guard job.isWaiting else {
        blockers.all.append(node(of: job))
        continue
      }
      if blockers.any.isEmpty, awaitsSlot(job) { blockers.any = turns { needsSlot($0) } }
      if isPauseAwaited, isHeldBack(job) { heldBack.append(job) }
    }
    if !heldBack.isEmpty { blockers.pause = pause(holding: heldBack) }
    return blockers
  }

  /// Finds what is ahead of a waiter, which comes first itself: each job once, and the nearest first.
  private func way(from waiter: Waiter) -> [LineMeeting.Step] {
    let first = LineMeeting.Step(queue: nil, job: waiter as? Job, before: nil)
    var (way, next, seen) = ([first], 0, Set<ObjectIdentifier>())
    // Not inlined: it is called in five places.
    @inline(never) func add(_ queue: JobQueue?, _ ahead: Job) {
      guard seen.insert(ObjectIdentifier(ahead)).inserted else { return }
      way.append(LineMeeting.Step(queue: queue, job: ahead, before: next))
    }
    if waiter.pauses {
      forEachRunning { add(nil, $0) }
    } else if let drainer = waiter as? LineDrainer {
      (drainer.queue ?? all).forEachJob { if drainer.waits(for: $0) { add(drainer.queue, $0) } }
    }
    while next < way.count {
      if let job = way[next].job, job.isWaiting { forEachInTheWay(of: job, add) }
      next += 1
    }
    return way
  }

  private func awaitsSlot(_ job: Job) -> Bool { slots?.areTaken ?? false && needsSlot(job) }

  /// Returns the pause; it ends when what runs has ended and the waiting caller has resumed the line.
  package func pause(holding jobs: [Job], _ goOn: @escaping @Sendable () -> Void = {}) -> Blockers.Pause {
    Blockers.Pause(until: turns { !$0.waitsInTurn }) { [line = line!] in
      for job in jobs { line.letPass(job) }
      goOn()
    }
  }

  func node(of job: Job) -> WaitNode { job.node ?? line }

  /// Returns the turns; for an arriving caller of `pauseAndWait`, all of them: what they wait for may be held back.
  package func turns(where isMeant: (Job) -> Bool = { _ in true }) -> [WaitNode] {
    var turns: [WaitNode] = []
    forEachRunning { if isMeant($0) { turns.append(node(of: $0)) } }
    return turns
  }

  /// Returns the shortest path from a waiter to the job with this turn; through slots only if there is no other.
  func meeting(of waiter: Waiter, with turn: WaitNode) -> LineMeeting {
    guard waiter.isWaiting else { return LineMeeting() }
    let way = way(from: waiter)
    let holders = turns { needsSlot($0) }
    let isAtSlot = holders.contains { $0 === turn }
    var atSlot: Int?
    for (index, step) in way.enumerated() {
      guard let job = step.job else { continue }
      if !job.isWaiting, node(of: job) === turn { return LineMeeting(way: way, to: index) }
      if isAtSlot, atSlot == nil, job.isWaiting, awaitsSlot(job) { atSlot = index }
    }
    return atSlot.map { LineMeeting(way: way, to: $0, slotHolders: holders) } ?? LineMeeting()
  }

  /// Names, for each turn at these places, the first waiting caller whose task was started in it.
  func callersStarted(inTurnsAt places: [Place]) -> [(place: Place, caller: String)] {
    var turns: [(place: Place, generation: TurnGeneration)] = []
    forEachRunning { if places.contains($0.place) { turns.append(($0.place, node(of: $0).generation)) } }
    var callers: [(place: Place, caller: String)] = []
    all.forEachJob { job in
      func look(at caller: Waiter) {
        guard caller.isWaiting, let started = caller.startedIn, started.goesOn,
          let turn = turns.first(where: { $0.generation == started.generation }),
          !callers.contains(where: { $0.place == turn.place }),
          blockers(ofEndOf: job).turns.contains(where: { $0.generation == started.generation })
        else { return }
        callers.append((turn.place, caller.name ?? "job \(job.place)"))
      }
      if job.hasSharers { job.forEachSharer(look) } else { look(at: job) }
    }
    return callers
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
    if found.count == 1, granted == 1 {
      found[0].waiting += waiting
    } else if !waiting.isEmpty {
      found.append(Holding(name: { label }, isHeld: false, waiting: waiting))
    }
    return found
  }
}

extension Holding.Waiting {
  package init(drainer: Waiter) { self.init(job: drainer.pauses ? "pauseAndWait()" : "drain()", start: drainer.start) }
}

/// The path from a waiter through waiting jobs to one that has a turn, or awaits a slot.
struct LineMeeting: Sendable {
  struct Step: Sendable {
    let queue: JobQueue?
    /// The first one is the waiter's; `nil` if that is none.
    let job: Job?
    let before: Int?
  }

  private var path: [Step] = []
  private var slotHolders: [WaitNode] = []

  fileprivate init() {}

  fileprivate init(way: [Step], to last: Int, slotHolders: [WaitNode] = []) {
    var next: Int? = last
    while let index = next {
      path.append(way[index])
      next = way[index].before
    }
    path.reverse()
    self.slotHolders = slotHolders
  }

  func named(in line: Line) -> Meeting { Meeting { names(in: line) } }

  /// Names each meeting on the way, and finally the turn or the slots, unless already named.
  private func names(in line: Line) -> [String] {
    var names: [String] = []
    for index in path.indices.dropFirst() {
      let key = path[index].queue?.label
      names.append(key.map { line.label([$0]) } ?? line.label(touching: path[index - 1].job))
    }
    if let last = path.last, last.queue == nil, slotHolders.isEmpty || path.count == 1 {
      names.append(line.label(touching: last.job))
    }
    if !slotHolders.isEmpty {
      let holders = slotHolders.map(\.jobLabel).joined(separator: ", ")
      names.append("slots of " + line.label + " (\(slotHolders.count), held by " + holders + ")")
    }
    return names
  }
}
