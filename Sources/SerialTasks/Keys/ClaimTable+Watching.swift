// Who holds which turn, who waits for it, and since when.

extension ClaimTable {
  /// Notes how many jobs stand ahead of one that has just taken its claims and has to wait, on the key where most do.
  ///
  /// O(keys of the job, and reads that run beside each other).
  func noteAhead(of job: JobClaim) {
    var most = 0
    job.forEachClaim { claim in
      if claim.isReady { return }
      let queue = claim.queue
      let running = queue === all ? reading + writing : queue.running
      most = max(most, job.goesFirst(with: claim) ? running : running + queue.waiting)
    }
    if most == 0, lacksSlot(job), !isPaused { most = slotsTaken }
    job.ahead = Int32(clamping: most)
    job.waiter.start = WaitStart(ahead: most)
  }

  /// The clock was read for a waiter that has joined, or for a caller of `drain`.
  ///
  /// - Returns: How many jobs stood ahead when it did.
  package mutating func noteWaitStart(of waiter: Waiter, at start: WaitStart) -> Int {
    let ahead = waiter.start.ahead ?? 0
    // It may have been granted its turn meanwhile; a pause can still put it back.
    if !waiter.hasBegun { waiter.start = start }
    guard waiter.isWaiting else { return ahead }
    if waiter.isDrainer { return ahead }
    JobClaim.of(waiter).forEachClaim { claim in
      if !claim.isReady, let holder = claim.queue.first?.job, !holder.isWaiting { holder.noteHeld(since: start) }
    }
    return ahead
  }

  /// The turns that go on, in the order of places, each with the jobs that wait for it, and last those that wait for no turn.
  ///
  /// A job that waits for several is with the one that its oldest claim leads to. O(jobs).
  package mutating func holdings(label: String) -> [Holding] {
    settle()
    let (jobs, firstHolder) = (jobs(of: all), firstSlotHolder)
    var (found, attended): ([Holding], Set<ObjectIdentifier>) = ([], [])
    for job in jobs where !job.isWaiting {
      let waiter = job.waiter!
      let behind = waiting(behind: job, firstHolder, &attended).sorted { $0.waiter.place < $1.waiter.place }
      found.append(
        Holding(
          name: { job.label(of: label) }, job: waiter.name, place: waiter.place,
          since: waiter.heldSince(job), waiting: waiter.sharers + behind.flatMap(\.callers)))
    }
    var stray = jobs.filter { $0.isWaiting && !attended.contains(ObjectIdentifier($0)) }.flatMap(\.callers)
    drainers.forEach { stray.append(Holding.Waiting(drainer: $0)) }
    for queue in queues(of: jobs) { queue.drainers.forEach { stray.append(Holding.Waiting(drainer: $0)) } }
    if !stray.isEmpty { found.append(Holding(name: { label }, isHeld: false, waiting: stray)) }
    return found
  }

  /// How many jobs and callers wait for the turns at these places.
  ///
  /// O(jobs), however many turns are asked for.
  package func waiting(behind places: Set<Place>) -> [Place: Int] {
    let firstHolder = firstSlotHolder
    var counts: [Place: Int] = [:]
    for queue in [all, keyless] {
      queue.forEach { claim in
        let job = claim.job!
        guard !job.isWaiting, places.contains(job.waiter.place) else { return }
        var attended: Set<ObjectIdentifier> = []
        counts[job.waiter.place] = waiting(behind: job, firstHolder, &attended).reduce(job.waiter.sharersCount) {
          $0 + $1.callersCount
        }
      }
    }
    return counts
  }

  /// The jobs that wait for this turn, directly or behind each other, without those that are attended already.
  private func waiting(
    behind holder: JobClaim, _ firstHolder: JobClaim?, _ attended: inout Set<ObjectIdentifier>
  ) -> [JobClaim] {
    var (found, next): ([JobClaim], [JobClaim]) = ([], [holder])
    if holder === firstHolder, !isPaused { readyForSlot.forEach { next.append($0) } }
    while let job = next.popLast() {
      if job.isWaiting {
        guard attended.insert(ObjectIdentifier(job)).inserted else { continue }
        found.append(job)
      }
      job.forEachClaim { claim in
        var behind = claim.next
        // A job whose claim is ready, and that waits for another key, is in the way of those behind it as this one is.
        while claim.isReady, let between = behind, between.isReady, between.job.isWaiting { behind = between.next }
        if let behind, behind === behind.job.firstBlocked { next.append(behind.job) }
      }
    }
    return found
  }

  /// The one of those that have a slot with which those are listed that wait for one.
  private var firstSlotHolder: JobClaim? {
    var first: JobClaim?
    slotHolders.forEach { if $0.waiter.place < first?.waiter.place ?? .max { first = $0 } }
    return first
  }

  private func queues(of jobs: [JobClaim]) -> [KeyQueue] {
    var seen: Set<ObjectIdentifier> = []
    var queues: [KeyQueue] = []
    for job in jobs {
      job.forEachClaim { claim in
        if claim !== job, !claim.queue.drainers.isEmpty, seen.insert(ObjectIdentifier(claim.queue)).inserted {
          queues.append(claim.queue)
        }
      }
    }
    return queues
  }
}

extension KeyQueue {
  /// How many jobs of the queue have their turn.
  final var running: Int {
    var (count, cursor) = (0, first)
    while let claim = cursor, claim.isReady {
      if !claim.job.isWaiting { count += 1 }
      cursor = claim.next
    }
    return count
  }
}

extension JobClaim {
  /// It has its turn, at least since then.
  func noteHeld(since start: WaitStart) { if !firstBehind.isMoment { firstBehind = start } }

  /// The first of its claims that is not ready.
  var firstBlocked: Claim? {
    var blocked: Claim?
    forEachClaim { if blocked == nil, !$0.isReady { blocked = $0 } }
    return blocked
  }

  /// Who waits with it: itself, or the callers of a shared read.
  fileprivate var callers: [Holding.Waiting] {
    waiter.isShared ? waiter.sharers : [Holding.Waiting(job: waiter.name, start: waiter.start, isDraft: isDraft)]
  }

  fileprivate var callersCount: Int { waiter.isShared ? waiter.sharersCount : 1 }

  /// What events and deadlocks call it, whose line is called so; to be asked when no lock is held.
  func label(of line: String) -> String {
    line.touching(names)
  }
}

// What a waiter stands for: one job, or the callers of a shared read.

extension Waiter {
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

  /// Since when its job has its turn, as far as that is known: a shared read that did not wait, since it has callers.
  fileprivate func heldSince(_ job: JobClaim) -> WaitStart {
    if start.isMoment { return job.firstBehind }
    return sharers.first { $0.start.isMoment }?.start ?? job.firstBehind
  }
}

extension ClaimLine {
  /// The job has waited, and has its turn now.
  final func noteHeld(_ waiter: Waiter, since start: WaitStart) {
    state.withLock { _ in JobClaim.of(waiter).noteHeld(since: start) }
  }
}
