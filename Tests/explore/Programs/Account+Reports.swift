import SerialTasks

// MARK: - What a report says when everybody rests

extension Account {
  /// Who holds what and who waits is in the report, each once, since the moment that it says.
  func checkReport() {
    // A request for access has jobs of its own; and who has come to a limit just now may have left or not, or was cancelled in its call.
    if plan != nil, !isPlanSure { return }
    if options.hasEngine || mayBeForced || entries.contains(where: { $0.deadline == now && $0.outcome == nil }) {
      return
    }
    let report = WaitReport.current.executors
    let running = entries.indices.filter { isHeld($0) }
    let waiting = entries.indices.filter { isListed($0) }
    let (held, listed) = (report.filter(\.isHeld), report.flatMap(\.waiting))
    let detail = "\(WaitReport(executors: report))"
    expect(held.count == running.count, "a report lists what goes on", detail)
    expect(listed.count == waiting.count + drainers.count, "a report lists what waits", detail)
    if !options.areNamed || plan != nil { return }
    for job in running {
      let holder = held.first { $0.holder == name(job) }
      expect(holder != nil, "a report names what goes on", "\(name(job)): \(detail)")
      let isRight =
        options.isLeaping || options.isSilent || holder?.heldFor == entries[job].began.map { .milliseconds(now - $0) }
      expect(isRight, "a report says how long a turn was held", "\(name(job)): \(detail)")
    }
    for job in waiting {
      let found = listed.first { $0.name == name(job) }
      let isTimed = !options.isLeaping && !options.isSilent
      let waited = Duration.milliseconds(now - entries[job].asked)
      let isRight = found.map { !isTimed || $0.waited == waited } ?? false
      expect(isRight, "a report says who waits, and how long", "\(name(job)): \(detail)")
    }
    if options.isSilent { return }
    let names = Set(entries.map(\.call.name))
    func isDrain(_ waiting: WaitReport.Waiting) -> Bool { !names.contains(waiting.name ?? "") }
    let drained = listed.filter(isDrain).map(\.waited).sorted()
    let asked = drainers.map { Duration.milliseconds(now - $0.since) }.sorted()
    expect(drained == asked || options.isLeaping, "a report says how long a drain waits", detail)
  }

  private func isHeld(_ job: Int) -> Bool {
    let entry = entries[job]
    if let plan, plan.kind == .renewals, plan.flight(of: job).map({ plan.flights[$0].stage }) == .over { return false }
    return entry.call.isFlight ? entry.begins > 0 && entry.ends == 0 : isRunning(job) && !entry.isPart
  }

  private func isListed(_ call: Int) -> Bool {
    let entry = entries[call]
    if entry.outcome != nil || entry.isPart || entry.isAhead { return false }
    if let plan { if case .waits = plan.fates[call] { return true } else { return false } }
    let job = leader(call)
    return isWaiting(job) || entry.hasJoined && job == call || entry.isRead && !entry.isFirst && isHeld(job)
  }
}
