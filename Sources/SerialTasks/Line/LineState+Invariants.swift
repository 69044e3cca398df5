// What holds after every mutation; checked in debug builds.

extension LineState {
  /// Traps in debug builds if the state contradicts itself; costs nothing in release.
  package func checkInvariants() {
    assert(drainers.isEmpty || !isIdle, "a caller drains an idle line")
    assert(granted.isEmpty, "a job that may run was not granted its turn")
    assert(
      isPaused || slots.map { $0.waiting.isEmpty || $0.areTaken } ?? true, "a job waits for a slot, and one is free")
    assert(
      waiting >= drafts && drafts >= 0 && reading >= 0 && writing >= 0 && untold >= 0 && whole.open >= 0,
      "something was counted twice")
    assert(light == nil || whole.isEmpty && whole.open == 0, "a job came and did not see the caller without a place")
    assert(
      light == nil || drainers.isEmpty || untold > 0, "a caller drains, and the one without a place would not wake it")
    assert(present > 8 || isConsistent, "a job may run, or waits for one that runs at a lower priority")
  }

  /// Whether each job that waits has been raised no higher than what it waits for, and none waits for nothing.
  private var isConsistent: Bool {
    var isConsistent = true
    for job in jobs(of: nil) where job.isWaiting {
      forEachInTheWay(of: job) { _, ahead in if ahead.raisedTo < job.raisedTo { isConsistent = false } }
      if job.pending == 0, !isPaused, !job.notes.contains(.awaitsSlot) { isConsistent = false }
    }
    return isConsistent
  }
}
