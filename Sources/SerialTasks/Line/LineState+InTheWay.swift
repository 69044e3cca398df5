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
      forEachInTheWay(of: .cast(waiter)) { search.add($1) }
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

  /// Returns the way from a waiter, which waits or has not come yet, to the job that has this turn: the shortest one, and over slots
  /// only if there is no other.
  package mutating func meeting(of waiter: Waiter, with turn: WaitNode) -> LineMeeting {
    guard waiter.isWaiting else { return LineMeeting() }
    let asking = waiter.isDrainer ? nil : Line.job(waiter)
    var found: [LineMeeting.Step] = []
    var (next, atSlot): (Int?, LineMeeting?) = (nil, nil)
    while true {
      let job = next.map { found[$0].ahead } ?? asking
      if next != nil, let job, !job.isWaiting {
        if node(of: job) === turn { return LineMeeting(asking: asking, way: way(over: found, to: next)) }
      } else {
        func find(_ queue: KeyQueue?, _ ahead: Job) {
          if found.contains(where: { $0.ahead === ahead }) { return }
          found.append(LineMeeting.Step(waiting: next == nil ? nil : job, queue: queue, ahead: ahead, before: next))
        }
        if let job { forEachInTheWay(of: job, lasting: true, find) } else { forEachInTheWay(of: .cast(waiter), find) }
        if atSlot == nil, let job, let slots, needsSlot(job), slots.areTaken {
          let holders = turnsOfSlotHolders
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

  /// Hands over what a caller of `drain` or `pauseAndWait` waits for, each with the queue of the key in which it is.
  private mutating func forEachInTheWay(of drainer: LineDrainer, _ body: (KeyQueue?, Job) -> Void) {
    settle()
    if drainer.pauses {
      for job in jobs(of: nil) where !job.isWaiting { body(nil, job) }
    } else if let queue = drainer.queue {
      queue.forEachInTheWay(of: nil, [], lasting: true) { body(queue, $0.claimant) }
    } else {
      forEachInTheWay(ofWhole: nil, lasting: true) { body(nil, $0) }
      keyless?.places.forEach { body(nil, $0.claimant) }
    }
  }
}

/// The way from a waiter to a job that has a turn, over the jobs that wait between them.
package struct LineMeeting: Sendable {
  /// A job that is in the way of another.
  struct Step: Sendable {
    /// The one that waits; `nil` is the waiter itself.
    let waiting: Job?
    /// The queue of the key at which it is in the way; `nil` is all keys.
    let queue: KeyQueue?
    let ahead: Job
    /// The step before this one, where they are being found.
    let before: Int?
  }

  /// The waiter, if it is a job.
  var asking: Job?
  var way: [Step] = []
  /// The turns that have a slot, if the last one waits for that.
  var slotHolders: [WaitNode] = []

  /// Returns the names along the way: of each waiting job, where it meets the next; and at last that of the turn or the slots, if they
  /// are not named by then.
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
