import TestWatch

@testable import SerialTasks

/// A random history of one line, in which each decision of `LineState` is compared with the rule (``RuledJob``).
struct LineHistory {
  /// What was broken, if anything was.
  private(set) var breach: String?
  /// How often what has been met.
  private(set) var met: [String: Int] = [:]
  private var random: SplitMix
  private let line: KeyedLine<Int>
  private let (slots, capacity, capacityPerKey, keys): (Int?, Int?, Int?, Int)
  private var (isPaused, isClosed, step) = (false, false, 0)
  private var present: [RuledJob] = []
  private var writes: [RuledJob] = []
  private var drains: [(drainer: LineDrainer, jobs: [RuledJob])] = []

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    slots = [nil, nil, 1, 2, 3].randomElement(using: &random)!
    capacity = [nil, nil, nil, 3, 5].randomElement(using: &random)!
    capacityPerKey = [nil, nil, 1, 2].randomElement(using: &random)!
    keys = Int.random(in: 2...4, using: &random)
    line = KeyedLine(
      name: "line", type: "KeyedSerialTaskExecutor", capacity: capacity, capacityPerKey: capacityPerKey, slots: slots)
  }

  mutating func play(_ steps: Int) {
    while step < steps, breach == nil {
      step += 1
      act()
      compare()
    }
    if breach == nil { empty() }
  }

  private mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

  private mutating func check(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds, breach == nil { breach = "step \(step): \(promise())" }
  }

  /// Lets the line decide; what it asks for is looked at in the jobs.
  private func decide<Decision: Sendable>(_ body: (inout LineState, inout Effects) -> Decision) -> Decision {
    line.locked { state in
      var effects = Effects()
      return body(&state, &effects)
    }
  }

  private mutating func meet(_ what: String) { met[what, default: 0] += 1 }

  private mutating func act() {
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<14: arrive(in: nil)
    case 14..<18: if let outer = any({ $0.hasBegun && $0.hasTurn }) { arrive(in: outer) }
    case 18..<21: if let job = any({ $0.hasTurn && !$0.hasBegun }) { begin(job) }
    case 21..<28: endAny()
    case 28, 29: if let job = any({ !$0.hasBegun }) { leave(job) }
    case 30: pause()
    case 31, 32: resume()
    case 33: if isPaused, let job = any({ $0.isOnHold }) ?? any({ !$0.hasTurn }) { letPass(job) }
    case 34, 35: drain(once(in: 2) ? nil : Int.random(in: 0..<keys, using: &random))
    case 36: if let job = any({ $0.isOnHold }) { endHold(job) }
    case 37:
      if let job = any({ !$0.isRead && !$0.isNested && $0.keys?.isEmpty == false && !$0.hasBegun }) { replace(job) }
    case 38: if once(in: 6) { withdraw() } else if once(in: 6) { close() }
    default: pauseAndWait()
    }
  }

  private mutating func any(_ isMeant: (RuledJob) -> Bool) -> RuledJob? {
    present.filter(isMeant).randomElement(using: &random)
  }

  @discardableResult
  private mutating func endAny() -> Bool {
    let present = present
    guard let job = any({ job in job.hasTurn && !present.contains { $0.outer === job } }) else { return false }
    end(job)
    return true
  }

  // MARK: What happens

  private mutating func arrive(in outer: RuledJob?) {
    let isWhole = outer == nil && once(in: 5)
    let count = once(in: 8) ? 0 : Int.random(in: 1...3, using: &random)
    var touched: Set<Int>? = Set((0..<count).map { _ in Int.random(in: 0..<keys, using: &random) })
    if isWhole { touched = nil }
    let isRead = !isWhole && count > 0 && once(in: 3)
    let isOnHold = outer == nil && !isRead && !isWhole && count > 0 && once(in: 2)
    let needsSlot = slots != nil && outer == nil && !isWhole && !once(in: 4)
    let isImmediate = once(in: 12)
    let job = Job(priority: UInt8.random(in: 1...4, using: &random))
    if isRead { job.kind.insert(.read) }
    if needsSlot { job.kind.insert(.slot) }
    if isImmediate { job.kind.insert(.immediate) }
    if outer != nil { job.kind.insert(.nested) }
    if isOnHold { job.stage = .onHold }
    let ruled = RuledJob(job, touched, isRead: isRead, needsSlot: needsSlot, in: outer, isOnHold: isOnHold)
    var behind: [RuledJob] = []
    if outer == nil {
      ruled.waitsFor = present.filter { ruled.conflicts(with: $0) }
    } else {
      ruled.waitsFor = present.filter { ($0.hasTurn || $0.isNested) && ruled.conflicts(with: $0) }
      behind = present.filter { !$0.hasTurn && !$0.isNested && ruled.conflicts(with: $0) }
      // The wait graph would have rejected it.
      if ruled.closesCycle(in: present) { return }
    }
    let lacksSlot = needsSlot && (taken >= slots! || present.contains { $0.slotSince != nil })
    let mustWait = !ruled.waitsFor.isEmpty || isOnHold || isPaused && outer == nil || lacksSlot
    var expected: JobRejection?
    if outer == nil, isClosed {
      expected = .closed
    } else if mustWait {
      expected = refusal(touched, isImmediate, outer)
    }
    let named = touched?.sorted().shuffled(using: &random)
    let arrival = decide { state, effects in
      if let named { line.keys.prepare(job, touching: Touched(named), &state) }
      return state.arrive(job, &effects)
    }
    if case .rejected(let why) = arrival {
      meet("\(why)")
      return check(why == expected, "\(why), and not \(String(describing: expected))")
    }
    check(expected == nil, "it should be \(expected!)")
    meet(outer != nil ? "nested" : isOnHold ? "on hold" : isRead ? "read" : isWhole ? "whole" : "write")
    for other in behind {
      other.waitsFor.append(ruled)
      other.slotSince = nil
    }
    if outer == nil {
      if !isOnHold {
        for other in present where other.isOnHold && other.sharesKey(with: ruled) { endHolds(other, "a job behind it") }
      }
      if !isRead { writes.append(ruled) }
    }
    present.append(ruled)
    check(arrival.isWait == mustWait, "begins at once, or not")
    check(
      mustWait || outer != nil || job.raisedTo == job.priority, "a job is raised for those that wait, and no others")
  }

  private func refusal(_ touched: Set<Int>?, _ isImmediate: Bool, _ outer: RuledJob?) -> JobRejection? {
    if isImmediate { return .late }
    if outer != nil { return nil }
    let waiting = present.filter { !$0.hasTurn }
    if let capacity, waiting.count >= capacity { return .full(capacity: capacity) }
    guard let capacityPerKey, let touched else { return nil }
    let isFull = touched.contains { key in waiting.count { $0.keys?.contains(key) == true } >= capacityPerKey }
    return isFull ? .keyFull(capacity: capacityPerKey) : nil
  }

  private var taken: Int { present.count { $0.hasTurn && $0.needsSlot } }

  private mutating func begin(_ job: RuledJob) {
    let why = line.locked { $0.begin(job.job) }
    if why != nil { return check(false, "a job that was granted its turn begins") }
    job.hasBegun = true
  }

  private mutating func end(_ job: RuledJob) {
    if !job.hasBegun { begin(job) }
    decide { $0.end(job.job, &$1) }
    goes(job)
  }

  private mutating func goes(_ job: RuledJob) {
    (job.isGone, job.hasTurn) = (true, false)
    present.removeAll { $0 === job }
  }

  private mutating func leave(_ job: RuledJob) {
    guard case .left = line.locked({ $0.leave(job.job, .cancelled) }) else { return check(false, "it leaves at once") }
    if job.isOnHold { meet("left on hold") }
    goes(job)
    check(line.locked { $0.begin(job.job) } == .cancelled, "it has left, and does not begin")
  }

  private mutating func pause() {
    line.locked { $0.pause() }
    isPaused = true
  }

  private mutating func pauseAndWait() {
    for job in present { endHolds(job, "pauseAndWait") }
    // What can begin begins before the pause.
    settle()
    add(LineDrainer(pauses: true), jobs: present.filter(\.hasTurn))
    isPaused = true
  }

  private mutating func resume() {
    decide { $0.resume(&$1) }
    isPaused = false
    for job in present { job.passes = false }
    for (drainer, _) in drains where drainer.pauses && drainer.rejection == nil {
      check(!drainer.isWaiting, "a pause is over")
    }
    drains.removeAll { $0.drainer.pauses }
  }

  private mutating func letPass(_ job: RuledJob) {
    meet("passes")
    var next = [job]
    while let job = next.popLast() {
      if job.isGone || job.hasTurn || job.passes || job.isNested { continue }
      job.passes = true
      job.slotSince = nil
      endHolds(job, "what may pass")
      next += job.waitsFor
    }
    _ = line.locked { $0.letPass(job.job) }
  }

  private mutating func drain(_ key: Int?) {
    meet("drain")
    for job in present where job.touches(key) { endHolds(job, "a drain") }
    let jobs = present.filter { key == nil || $0.keys?.contains(key!) == true }
    let queue = key.flatMap { key in line.locked { _ in line.keys[StableKey(key)] } }
    if key != nil, queue == nil { return check(jobs.isEmpty, "a key that jobs touch has a queue") }
    add(LineDrainer(of: queue, priority: UInt8.random(in: 1...4, using: &random)), jobs: jobs)
  }

  private mutating func add(_ drainer: LineDrainer, jobs: [RuledJob]) {
    let arrival = decide { $0.drain(drainer, &$1) }
    check(arrival.isWait != jobs.isEmpty, "a drain waits for what is there")
    if arrival.isWait { drains.append((drainer, jobs)) }
  }

  private mutating func endHolds(_ job: RuledJob, _ cause: String) {
    guard job.isOnHold else { return }
    meet("hold ended by \(cause)")
    job.isOnHold = false
    for other in present where other.isOnHold && other.job.place < job.job.place && other.sharesKey(with: job) {
      endHolds(other, "that of a job behind it")
    }
  }

  private mutating func endHold(_ job: RuledJob) {
    endHolds(job, "its time")
    decide { $0.release(job.job, &$1) }
  }

  private mutating func replace(_ older: RuledJob) {
    let isNewest = !writes.contains { !$0.isRead && $0.job.place > older.job.place && $0.conflicts(with: older) }
    let newer = Job(priority: UInt8.random(in: 1...4, using: &random))
    let arrival = decide { $0.isReplaceable(older.job) ? $0.replace(older.job, by: newer, &$1) : nil }
    check((arrival != nil) == isNewest, "a write takes a place only if no other conflicts behind it")
    guard arrival != nil else { return meet("kept") }
    meet(older.isOnHold ? "replaced on hold" : older.hasTurn ? "replaced with its turn" : "replaced")
    let ruled = RuledJob(
      newer, older.keys, isRead: false, needsSlot: older.needsSlot, in: nil, isOnHold: older.isOnHold)
    (ruled.passes, ruled.hasTurn, ruled.waitsFor, ruled.slotSince) = (
      older.passes, older.hasTurn, older.waitsFor, older.slotSince
    )
    for job in present { job.waitsFor = job.waitsFor.map { $0 === older ? ruled : $0 } }
    for (index, drain) in drains.enumerated() { drains[index].jobs = drain.jobs.map { $0 === older ? ruled : $0 } }
    writes = writes.map { $0 === older ? ruled : $0 }
    present[present.firstIndex { $0 === older }!] = ruled
    older.isGone = true
  }

  private mutating func withdraw() {
    let out = present.filter { !$0.hasBegun }
    let withdrawal = line.locked { $0.withdraw() }
    check(
      Set(withdrawal.rejected.map { ObjectIdentifier($0) }) == Set(out.map { ObjectIdentifier($0.job) }),
      "all that has not begun is withdrawn")
    if !out.isEmpty { meet("withdrawn") }
    if out.contains(where: \.isOnHold) { meet("withdrawn on hold") }
    for (drainer, jobs) in drains where !drainer.pauses && jobs.contains(where: { job in out.contains { $0 === job } })
    {
      check(drainer.isWaiting, "a drain waits until rejections have been reported")
    }
    for job in out { goes(job) }
    _ = line.locked { $0.told(withdrawal.rejected) }
  }

  private mutating func close() {
    for job in present { endHolds(job, "close") }
    isClosed = true
    decide { $0.close(&$1) }
  }

  // MARK: What must be so

  /// Gives their turns to all that must have them.
  private mutating func settle() {
    for job in present where !job.hasTurn && job.isClear && (!isPaused || job.isNested || job.passes) {
      if !job.needsSlot || taken < slots! { job.hasTurn = true }
    }
  }

  private mutating func compare() {
    for job in present {
      let hasTurn = !job.job.isWaiting
      if hasTurn, !job.hasTurn {
        check(job.isClear, "granted its turn, and must wait")
        check(!isPaused || job.isNested || job.passes, "granted its turn in a pause")
        let since = job.slotSince ?? .max
        let isBefore = present.contains {
          $0 !== job && !$0.hasTurn && $0.job.isWaiting && $0.isClear && $0.needsSlot && $0.slotSince ?? .max < since
            && (!isPaused || $0.passes)
        }
        check(!job.needsSlot || !isBefore || isPaused, "slots are given in turn")
        (job.hasTurn, job.slotSince) = (true, nil)
      }
      check(hasTurn == job.hasTurn, "a job keeps its turn")
      check(job.isOnHold == job.job.isOnHold, "a job is on hold for as long as it must be: \(job.isOnHold)")
    }
    for job in present where !job.hasTurn {
      guard job.isClear, !isPaused || job.isNested || job.passes else {
        if !job.isClear { job.slotSince = nil }
        continue
      }
      check(job.needsSlot && taken >= slots!, "a job waits for nothing")
      // One that is let pass goes before the others.
      job.slotSince = job.slotSince ?? (job.passes ? -step : step)
    }
    let running = present.filter(\.hasTurn)
    for (index, job) in running.enumerated() {
      for other in running[..<index] where job.conflicts(with: other) { check(false, "jobs that conflict overlap") }
    }
    check(taken <= slots ?? .max, "no more run than there are slots")
    let counts = line.locked { ($0.waiting, $0.running) }
    check(counts == (present.count { !$0.hasTurn }, running.count), "jobs are counted")
    for (drainer, jobs) in drains {
      let hasEnded = drainer.pauses ? running.isEmpty : jobs.allSatisfy(\.isGone)
      check(drainer.isWaiting != hasEnded, "a drain ends with what was there, and no earlier")
    }
    drains.removeAll { !$0.drainer.isWaiting }
    let isInOrder = line.locked { state in
      ([state.all] + (0..<keys).compactMap { line.keys[StableKey($0)] }).allSatisfy { queue in
        var places: [Place] = []
        queue.forEachJob { if $0.isWaiting, !$0.isNested { places.append($0.place) } }
        return places == places.sorted()
      }
    }
    check(isInOrder, "those that wait stand in the order of their places")
    line.locked { $0.checkInvariants() }
    comparePriorities()
  }

  /// No job runs at a lower priority than one that waits for it, be it over others that touch one key at most.
  private mutating func comparePriorities() {
    var needed: [ObjectIdentifier: UInt8] = [:]
    for (drainer, jobs) in drains where !drainer.pauses {
      for job in jobs { needed[ObjectIdentifier(job)] = max(drainer.priority, needed[ObjectIdentifier(job)] ?? 0) }
    }
    for job in present.reversed() where !job.hasTurn {
      let isPlain = !job.isNested && job.keys?.count ?? 1 <= 1
      let priority = max(job.job.priority, isPlain ? needed[ObjectIdentifier(job)] ?? 0 : 0)
      for other in job.waitsFor + (job.slotSince == nil ? [] : present.filter { $0.hasTurn && $0.needsSlot }) {
        needed[ObjectIdentifier(other)] = max(priority, needed[ObjectIdentifier(other)] ?? 0)
      }
    }
    for job in present where job.hasTurn {
      check(
        job.job.raisedTo >= needed[ObjectIdentifier(job)] ?? 0, "a job runs at the priority of those that wait for it")
      if job.job.raisedTo > job.job.priority { meet("raised") }
    }
  }

  /// When all that can has ended, nothing is left.
  private mutating func empty() {
    resume()
    compare()
    while let job = present.first(where: \.isOnHold) {
      endHold(job)
      compare()
    }
    while breach == nil, endAny() {
      step += 1
      compare()
    }
    let isIdle = line.locked { $0.isIdle } && line.size.busy == 0
    check(present.isEmpty && drains.isEmpty && isIdle, "something is left")
  }
}
