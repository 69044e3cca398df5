// What is in the way of a job: for deadlocks, for priority, and for what is held back.

extension LineState {
  /// Hands over the jobs that are in the way of one, without those that these wait for themselves, each with the queue of the key in
  /// which it is; `nil` stands for all keys.
  ///
  /// Of a job that has not come yet: what would be in its way.
  ///
  /// - Parameters:
  ///   - job: The job, which waits, or is about to come.
  ///   - isLasting: Whether to pass over those that leave by themselves.
  ///   - body: Is given each.
  func forEachInTheWay(of job: Job, lasting isLasting: Bool = false, _ body: (KeyQueue?, Job) -> Void) {
    let hasCome = job.isPresent
    if job.touchesEveryKey {
      if !hasCome || !job.isReady {
        forEachInTheWay(ofWhole: hasCome ? job : nil, lasting: isLasting) { body(nil, $0) }
      }
      return
    }
    var wholeAhead = hasCome ? job.behind.map { $0.group.whole } : job.touchesNoKey ? nil : whole.ahead(of: job.kind)
    while let whole = wholeAhead {
      guard isLasting, whole.isWaiting, whole.leavesByItself else {
        body(nil, whole)
        break
      }
      wholeAhead = self.whole.whole(before: whole)
    }
    job.forEachPlace { place, queue in
      if hasCome ? place.isReady : queue.admits(job.kind) { return }
      if isLasting, hasCome, let holder = onlyHolder(of: queue, inTheWayOf: job) { return body(queue, holder) }
      queue.forEachInTheWay(of: hasCome ? place : nil, job.kind, lasting: isLasting) { body(queue, $0.claimant) }
    }
  }

  /// Hands over what is in the way of a whole job that stands here, or, if it is `nil`, comes now.
  private func forEachInTheWay(ofWhole place: Linked?, lasting isLasting: Bool, _ body: (Job) -> Void) {
    func passesOver(_ job: Job) -> Bool { isLasting && job.isWaiting && job.leavesByItself }
    // However many stand between: they wait for the first, and for nothing else if there are no slots.
    if isLasting, slots == nil, let first = whole.first, first !== place { return body(first) }
    // Those behind a whole job wait for it, so it is handed over only if none of them is.
    var (place, hasOne) = (place, false)
    while true {
      let whole: Job
      switch self.whole.inTheWay(ofWholeBefore: place) {
      case .none: return
      case .open: return forEachOpen { if !passesOver($0) { body($0) } }
      case .whole(let job): whole = job
      case .group(let group, let last):
        var cursor: Linked? = last
        while let behind = cursor, !behind.isJob {
          if !passesOver(behind.claimant) {
            hasOne = true
            body(behind.claimant)
          }
          cursor = behind.previous
        }
        whole = group.whole
      }
      if !passesOver(whole) { return hasOne ? () : body(whole) }
      place = whole
    }
  }

  /// Returns the one job to which all lead that are ahead on this key, however many they are.
  private func onlyHolder(of queue: KeyQueue, inTheWayOf job: Job) -> Job? {
    // Those ahead wait for nothing else: neither for a whole job nor, if this one does not, for a slot.
    guard whole.isEmpty, slots == nil || needsSlot(job) else { return nil }
    return queue.onlyHolder
  }
}

// MARK: - Deadlocks

extension LineState {
  /// Returns which turns must end before the waiter goes on, or, if it is a job that has not come yet, before it could run.
  package mutating func blockers(of waiter: Waiter) -> Blockers {
    guard waiter.isWaiting else { return .none }
    var search = BlockerSearch()
    if waiter.isDrainer {
      let drainer = LineDrainer.cast(waiter)
      settle()
      if drainer.pauses {
        for job in jobs(of: nil) where !job.isWaiting { search.add(job) }
      } else if let queue = drainer.queue {
        queue.forEachInTheWay(of: nil, [], lasting: true) { search.add($0.claimant) }
      } else {
        forEachInTheWay(ofWhole: nil, lasting: true) { search.add($0) }
        keyless?.places.forEach { search.add($0.claimant) }
      }
    } else {
      let job = Line.job(waiter)
      if job.isPresent {
        search.add(job)
      } else {
        if job.touchesEveryKey { settle() }
        lookAhead(of: job, &search)
      }
    }
    return blockers(&search)
  }

  /// Returns which turns must end before the submitted job has ended.
  package func blockers(ofEndOf job: Job) -> Blockers {
    guard job.isPresent else { return .none }
    var search = BlockerSearch()
    search.add(job)
    return blockers(&search)
  }

  private func lookAhead(of job: Job, _ search: inout BlockerSearch) {
    forEachInTheWay(of: job, lasting: true) { search.add($1) }
    if let slots, needsSlot(job), slots.areTaken { search.awaitsSlot = true }
  }

  /// Follows jobs that wait to those that run.
  private func blockers(_ search: inout BlockerSearch) -> Blockers {
    while let job = search.waiting.popLast() { lookAhead(of: job, &search) }
    let nodes = search.running.map { node(of: $0) }
    return Blockers(all: nodes, any: search.awaitsSlot ? turnsOfSlotHolders : [])
  }

  private struct BlockerSearch {
    var running: [Job] = []
    var waiting: [Job] = []
    /// Whether one of those met waits for a slot, or will.
    var awaitsSlot = false
    private var seen: Set<ObjectIdentifier> = []

    mutating func add(_ job: Job) {
      guard seen.insert(ObjectIdentifier(job)).inserted else { return }
      if job.isWaiting { waiting.append(job) } else { running.append(job) }
    }
  }

  private func node(of job: Job) -> WaitNode { job.node ?? line }

  private var turnsOfSlotHolders: [WaitNode] {
    var turns: [WaitNode] = []
    slots?.forEachHolder { turns.append(node(of: $0)) }
    return turns
  }

  /// Returns where a job, which waits or has not come yet, meets one that has this turn.
  package func meeting(of waiter: Waiter, with turn: WaitNode) -> KeyedMeeting {
    var meeting = KeyedMeeting()
    guard waiter.isWaiting, !waiter.isDrainer else { return meeting }
    let job = Line.job(waiter)
    var (met, metAtSlot): ([KeyQueue?], [KeyQueue?]) = ([], [])
    forEachInTheWay(of: job, lasting: true) { queue, ahead in
      if met.contains(where: { $0 === queue }) { return }
      var search = BlockerSearch()
      search.add(ahead)
      let found = blockers(&search)
      if found.all.contains(where: { $0 === turn }) {
        met.append(queue)
      } else if found.any.contains(where: { $0 === turn }), !metAtSlot.contains(where: { $0 === queue }) {
        metAtSlot.append(queue)
      }
    }
    // At a slot that one ahead waits for only if it is met nowhere else.
    let queues = met.isEmpty ? metAtSlot : met
    if met.isEmpty, !metAtSlot.isEmpty || needsSlot(job) { meeting.slotHolders = turnsOfSlotHolders }
    // A job of every key is met on all keys that were asked for.
    if !queues.contains(where: { $0 == nil }) { meeting.queues = queues.compactMap(\.self) }
    return meeting
  }
}

/// Where a job meets one that is in its way: on the keys of these queues, or, if there are none, on all keys that it has asked for;
/// and, if that one is in the way at a slot, the turns that have one.
package struct KeyedMeeting: Sendable {
  package var queues: [KeyQueue] = []
  package var slotHolders: [WaitNode] = []

  /// Returns the same with names, for a line that is called so.
  func named(_ line: @escaping @Sendable () -> String) -> Meeting {
    let (queues, holders) = (queues, slotHolders)
    let keys = { @Sendable in line().touching(queues.compactMap(\.label)) }
    let slots = { @Sendable in
      "slots of \(line()) (\(holders.count), held by \(holders.map(\.jobLabel).joined(separator: ", ")))"
    }
    return Meeting(label: queues.isEmpty ? nil : keys, between: holders.isEmpty ? nil : slots)
  }
}
