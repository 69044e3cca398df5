// Who holds which turn, who waits for it, and since when.

extension LineState {
  /// Notes how many jobs stand ahead of one that has just taken its places and has to wait, on the key where most do.
  ///
  /// O(keys of the job, and reads that run beside each other).
  mutating func noteAhead(of job: Job) {
    var most = 0
    if job.touchesEveryKey ? !job.isReady : job.behind != nil {
      // All but those that touch no key, and, if it goes before others, those that wait.
      most =
        job.kind.contains(.nested)
        ? reading + writing - (keyless?.running ?? 0) : present - 1 - (keyless?.users ?? 0)
    }
    job.forEachPlace { place, queue in
      if place.isReady { return }
      most = max(most, job.kind.contains(.first) ? queue.running : queue.running + queue.waiting)
    }
    if most == 0, lacksSlot(job), !isPaused { most = slots!.taken }
    job.latest?.ahead = most
    job.start = WaitStart(ahead: most)
  }

  /// Notes when a job that has joined, or a caller of `drain`, began to wait.
  ///
  /// - Returns: How many jobs stood ahead when it did.
  package mutating func noteWaitStart(of waiter: Waiter, at start: WaitStart) -> Int {
    let ahead = waiter.start.ahead ?? 0
    // It may have been granted its turn meanwhile; a pause can still put it back.
    if !waiter.hasBegun { waiter.start = start }
    if !waiter.isDrainer, waiter.isWaiting { noteHeld(inTheWayOf: Line.job(waiter), since: start) }
    return ahead
  }

  /// Notes when a job began to wait that has just taken its places.
  mutating func note(_ job: Job, waitsSince start: WaitStart) {
    job.start = start
    noteHeld(inTheWayOf: job, since: start)
  }

  /// Notes that the jobs for which the job waits have their turns, at least since then.
  private mutating func noteHeld(inTheWayOf job: Job, since start: WaitStart) {
    if job.touchesEveryKey ? !job.isReady : job.behind != nil, !whole.isFirst(at: lineTurn.place) {
      let ahead = whole.first.flatMap { $0 === job ? nil : $0 } ?? table?.inUse.first?.places.first?.claimant
      if let ahead, !ahead.isWaiting { note(ahead, heldSince: start) }
    }
    job.forEachPlace { place, queue in
      if place.isReady { return }
      // The queue holds it, so it needs not be retained.
      Unmanaged.passUnretained(queue.places.first!)._withUnsafeGuaranteedRef {
        let ahead = $0.claimant
        if !ahead.isWaiting { note(ahead, heldSince: start) }
      }
    }
  }

  /// Notes that the job has its turn, at least since then.
  mutating func note(_ job: Job, heldSince start: WaitStart) {
    if let turn = job.turn {
      if !turn.firstBehind.isMoment { turn.firstBehind = start }
    } else if lineTurn.place != job.place {
      lineTurn = (job.place, start)
    }
  }

  private func firstBehind(_ job: Job) -> WaitStart {
    job.turn?.firstBehind ?? (lineTurn.place == job.place ? lineTurn.firstBehind : WaitStart())
  }

  /// Returns the turns that go on, in the order of places, each with the jobs that wait for it, and last those that wait for no
  /// turn.
  ///
  /// A job that waits for several is with the one that its oldest place leads to. O(jobs).
  package mutating func holdings(label: String) -> [Holding] {
    settle()
    let jobs = jobs(of: nil)
    var tree = WaitTree(self, jobs)
    var found: [Holding] = []
    for job in jobs where !job.isWaiting {
      let behind = tree.waiting(behind: job).sorted { $0.place < $1.place }
      let waiting = job.sharers + behind.flatMap(\.callers)
      if let pending = table?.pending[job.place] {
        let own = Holding.Waiting(job: job.name, start: pending.start)
        found.append(Holding(name: { job.label(of: label) }, isHeld: false, waiting: [own] + waiting))
      } else {
        found.append(
          Holding(
            name: { job.label(of: label) }, job: job.name, place: job.place, since: since(job), waiting: waiting))
      }
    }
    var stray = jobs.filter { $0.isWaiting && !tree.attended.contains(ObjectIdentifier($0)) }.flatMap(\.callers)
    drainers.forEach { stray.append(Holding.Waiting(drainer: $0)) }
    table?.inUse.forEach { $0.drainers.forEach { stray.append(Holding.Waiting(drainer: $0)) } }
    if !stray.isEmpty { found.append(Holding(name: { label }, isHeld: false, waiting: stray)) }
    return found
  }

  /// Returns since when the job has its turn, as far as that is known: a shared read that did not wait, since it has callers.
  private func since(_ job: Job) -> WaitStart {
    if job.start.isMoment { return firstBehind(job) }
    return job.sharers.first { $0.start.isMoment }?.start ?? firstBehind(job)
  }

  /// Returns how many jobs and callers wait for the turns at these places.
  ///
  /// O(jobs), however many turns are asked for.
  package func waiting(behind places: Set<Place>) -> [Place: Int] {
    let jobs = jobs(of: nil)
    let all = WaitTree(self, jobs)
    var counts: [Place: Int] = [:]
    for job in jobs where !job.isWaiting && places.contains(job.place) {
      var tree = all
      counts[job.place] = tree.waiting(behind: job).reduce(job.sharersCount) { $0 + $1.callersCount }
    }
    return counts
  }
}

/// Which job waits for which, each for the one that is in its way at the oldest of its places.
private struct WaitTree {
  /// Those that wait are found once.
  private(set) var attended: Set<ObjectIdentifier> = []
  /// The jobs that wait directly behind each.
  private var behind: [ObjectIdentifier: [Job]] = [:]

  init(_ state: borrowing LineState, _ jobs: [Job]) {
    // Of those that have a slot, the oldest is the one for which those wait that are ready.
    var oldest: Job?
    state.slots?.forEachHolder { if $0.place < oldest?.place ?? .max { oldest = $0 } }
    let lastOpen = jobs.last { !$0.isWaiting && $0.queue != nil && $0.behind == nil && !$0.touchesNoKey }
    for job in jobs where job.isWaiting {
      var ahead = job.firstBlocked.flatMap { WaitTree.holder(before: $0) }
      if job.touchesEveryKey, !job.isReady, job.previous == nil { ahead = lastOpen }
      if job.notes.contains(.awaitsSlot), !state.isPaused { ahead = oldest }
      if let ahead { behind[ObjectIdentifier(ahead), default: []].append(job) }
    }
  }

  /// Returns the job of the place before, over those that wait for another key beside it.
  private static func holder(before place: Linked) -> Job? {
    var previous = place.previous
    while let ahead = previous, ahead.isReady, ahead.claimant.isWaiting, ahead.previous != nil {
      previous = ahead.previous
    }
    return previous?.claimant
  }

  /// Returns the jobs that wait for this turn, directly or behind each other, without those that are attended already.
  mutating func waiting(behind holder: Job) -> [Job] {
    var (found, next): ([Job], [Job]) = ([], [holder])
    while let job = next.popLast() {
      if job.isWaiting {
        guard attended.insert(ObjectIdentifier(job)).inserted else { continue }
        found.append(job)
      }
      next += behind[ObjectIdentifier(job)] ?? []
    }
    return found
  }
}

extension Job {
  /// The first of its places that is not ready.
  fileprivate var firstBlocked: Linked? {
    if let behind { return behind }
    if touchesEveryKey { return isReady ? nil : self }
    var blocked: Linked?
    forEachPlace { place, _ in if blocked == nil, !place.isReady { blocked = place } }
    return blocked
  }

  /// Who waits with it: itself, or the callers of a shared read.
  fileprivate var callers: [Holding.Waiting] {
    isShared ? sharers : [Holding.Waiting(job: name, start: start, isDraft: isDraft)]
  }

  fileprivate var callersCount: Int { isShared ? sharersCount : 1 }

  fileprivate var sharers: [Holding.Waiting] {
    var sharers: [Holding.Waiting] = []
    forEachSharer { sharers.append(Holding.Waiting(job: $0.name, start: $0.start)) }
    return sharers
  }

  fileprivate var sharersCount: Int {
    var count = 0
    forEachSharer { _ in count += 1 }
    return count
  }

  /// Returns what events and deadlocks call it, whose line is called so; to be asked when no lock is held.
  func label(of line: String) -> String { line.touching(names) }
}

extension Holding.Waiting {
  /// A caller of `drain` or `pauseAndWait`.
  package init(drainer: Waiter) { self.init(job: drainer.pauses ? "pauseAndWait()" : "drain()", start: drainer.start) }
}
