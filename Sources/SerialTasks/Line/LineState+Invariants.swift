extension LineState {
  /// Traps in debug builds if the state contradicts itself.
  func checkInvariants() { assert(all.places.count > 8 || contradiction == nil, contradiction ?? "") }

  private var contradiction: String? {
    var (contradiction, waits, turns, slotted, holds): (String?, Int, Int, Int, Int32) = (nil, 0, 0, 0, 0)
    func check(_ holds: Bool, _ what: String) { if !holds, contradiction == nil { contradiction = what } }
    var queues: [JobQueue] = [all]
    all.forEachJob { job in
      var blocked: Int32 = job.isOnHold ? 1 : 0
      job.forEachPlace(all) { place, queue in
        if !queues.contains(where: { $0 === queue }) { queues.append(queue) }
        if !queue.isReady(place) { blocked += 1 }
      }
      check(job.pending == blocked, "a job counts the places at which it waits")
      if job.isOnHold { holds += 1 }
      if job.isWaiting {
        waits += 1
        check((job.pending > 0) == (job.stage <= .blocked), "a job waits, and stands elsewhere")
        check(job.pending > 0 || isHeldBack(job) || job.stage == .awaitsSlot, "a job waits for nothing")
      } else {
        turns += 1
        if needsSlot(job) { slotted += 1 }
        check(job.pending == 0 && !job.isRejected, "a job has its turn, and has to wait")
      }
    }
    check(waits == waiting && turns == granted && holds == self.holds, "jobs are counted")
    if let slots {
      check(slots.taken == slotted && slotted <= slots.count, "slots are counted")
      check(isPaused || slots.areTaken || slots.waiting.isEmpty, "a job waits for a slot, and one is free")
    }
    check(light == nil || all.isEmpty, "a job came and did not see the caller without a place")
    for queue in queues { if let why = queue.contradiction { check(false, why) } }
    return contradiction
  }
}

extension Waiter.Stage {
  var successors: [Waiter.Stage] {
    switch self {
    case .new: [.onHold, .blocked, .heldBack, .awaitsSlot, .granted, .gone]
    case .onHold: [.blocked, .gone]
    case .blocked: [.heldBack, .awaitsSlot, .granted, .gone]
    case .heldBack: [.blocked, .awaitsSlot, .granted, .gone]
    case .awaitsSlot: [.blocked, .granted, .gone]
    // The last: a waiter that parks again.
    case .granted: [.running, .gone, .blocked]
    case .running: [.waitsInTurn, .gone]
    case .waitsInTurn: [.running, .gone]
    case .gone: []
    }
  }
}

extension JobQueue {
  fileprivate var contradiction: String? {
    var (waits, isBlocked, first, last): (Int, Bool, TwiceLinked?, TwiceLinked?) = (0, false, nil, nil)
    var contradiction: String?
    places.forEach { place in
      if place.claimant.isWaiting { waits += 1 }
      if isBlocked, isReady(place) { contradiction = "a place is ready behind one that is not" }
      if !isReady(place), first == nil { first = place }
      if isReady(place), let last, !(isShared(last) && isShared(place)) { contradiction = "two share that must not" }
      if isReady(place), place.claimant.raisedTo < urgency.highest, place.claimant.isWaiting || place.claimant.hasBegun
      {
        contradiction = "what is ready is raised"
      }
      isBlocked = !isReady(place)
      last = place
    }
    if first !== firstBlocked { contradiction = "the first blocked place is known" }
    if waits != waiting { contradiction = "those who wait are counted" }
    return contradiction
  }
}
