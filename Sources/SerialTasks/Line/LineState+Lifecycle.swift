/// A caller of `drain` or `pauseAndWait` that waits for a line or one of its keys; safe like ``Waiter``.
package final class LineDrainer: Caller, @unchecked Sendable {
  /// `nil` if it waits for the whole line.
  let queue: JobQueue?
  /// The last place taken before its arrival; and how many jobs, reports of rejections and calls of handlers it still
  /// awaits.
  @exclusivity(unchecked) fileprivate var upTo: Place = .max
  @exclusivity(unchecked) var left = 0
  @exclusivity(unchecked) fileprivate(set) var hasBegunPause = false

  package init(of queue: JobQueue? = nil, pauses: Bool = false, priority: UInt8 = 0) {
    self.queue = queue
    super.init(pauses ? .pauser : .drainer, priority: priority)
  }

  /// Includes handlers of other keys, even for a caller that drains one key: each is called in a moment.
  func waits(forCallAt place: Place) -> Bool { place <= upTo && !pauses }

  func waits(for job: Job) -> Bool {
    if job.place > upTo || pauses { return false }
    return queue == nil || job.touches(queue)
  }
}

// MARK: - Draining

extension LineState {
  /// Decides whether the caller has to wait: only for what is already there.
  package mutating func drain(_ drainer: LineDrainer, _ effects: inout Effects) -> Arrival {
    if drainer.pauses { return pause(drainer, &effects) }
    release(in: drainer.queue, &effects)
    drainer.upTo = lastPlace
    (drainer.queue ?? all).forEachJob { if drainer.waits(for: $0) { drainer.left += 1 } }
    rare?.untold.forEach { if drainer.waits(for: $0) { drainer.left += 1 } }
    let jobs = drainer.left
    rare?.calls.forEach { if drainer.waits(forCallAt: $0.key) { drainer.left += $0.value } }
    if drainer.left == 0 { return .granted }
    rareState.drainers.append(drainer)
    raise(aheadOf: drainer, in: drainer.queue ?? all, &effects)
    return .waiting(ahead: jobs)
  }

  /// Notes a handler to be called, for which `drain` and `pauseAndWait` wait.
  @usableFromInline mutating func beginCall(of job: Job) -> Place {
    rareState.calls[job.place, default: 0] += 1
    rareState.drainers.forEach { if $0.waits(forCallAt: job.place) { $0.left += 1 } }
    return job.place
  }

  @usableFromInline mutating func endCall(at place: Place, _ effects: inout Effects) {
    let left = rare!.calls[place]! - 1
    rare!.calls[place] = left == 0 ? nil : left
    countDown(&effects) { $0.waits(forCallAt: place) }
  }

  /// Notes that a job has ended or left, and was reported.
  mutating func countDown(_ job: Job, _ effects: inout Effects) {
    guard let rare, !rare.drainers.isEmpty else { return }
    countDown(&effects) { $0.waits(for: job) }
  }

  private mutating func countDown(_ effects: inout Effects, where waits: (LineDrainer) -> Bool) {
    rare!.drainers.forEach { drainer in
      guard waits(drainer) else { return }
      drainer.left -= 1
      if drainer.left == 0 { end(drainer, &effects) }
    }
    endPausers(&effects)
  }

  private func end(_ drainer: LineDrainer, rejected why: JobRejection? = nil, _ effects: inout Effects) {
    rare!.drainers.remove(drainer)
    if let why { drainer.reject(why) } else { drainer.grant() }
    effects.resume(drainer)
  }

  /// Removes a caller that was cancelled or must not wait; one of `pauseAndWait` ends the pause that it began.
  package mutating func leave(_ drainer: LineDrainer, _ why: JobRejection, _ effects: inout Effects) {
    guard drainer.isWaiting else { return }
    end(drainer, rejected: why, &effects)
    if drainer.pauses, drainer.hasBegunPause { resume(&effects) }
  }

  package mutating func close(_ effects: inout Effects) {
    isClosed = true
    release(in: nil, &effects)
  }
}

extension LineState: ShutDownState {
  package mutating func end(_ drainer: LineDrainer, withdraws: Bool) -> (arrival: Arrival, effects: Withdrawal) {
    isClosed = true
    var withdrawal = withdraws ? withdraw(cancelsCallers: true) : Withdrawal()
    let arrival = drain(drainer, &withdrawal.effects)
    return (arrival, withdrawal)
  }
}

// MARK: - Pausing

extension LineState {
  /// Stops granting turns, except to nested calls.
  package mutating func pause() {
    if !isPaused { pauses &+= 1 }
    isPaused = true
  }

  /// Whether no job runs, and every rejection is reported and every handler called.
  private var isQuiet: Bool { granted == waitingInTurn && rare?.isQuiet ?? true }

  /// Pauses, for a caller that waits until nothing runs.
  private mutating func pause(_ drainer: LineDrainer, _ effects: inout Effects) -> Arrival {
    release(in: nil, &effects)
    drainer.hasBegunPause = !isPaused
    pause()
    if isQuiet { return .granted }
    rareState.drainers.append(drainer)
    raiseRunning(to: drainer.priority, &effects)
    return .waiting(ahead: 0)
  }

  package mutating func endPausers(_ effects: inout Effects) {
    guard let rare, !rare.drainers.isEmpty, isQuiet else { return }
    rare.drainers.forEach { if $0.pauses { end($0, &effects) } }
  }

  mutating func resume(_ effects: inout Effects) {
    if !isPaused { return }
    isPaused = false
    rare?.drainers.forEach { if $0.pauses { end($0, rejected: .withdrawn, &effects) } }
    fillSlots(&effects)
    var jobs: [Job] = []
    all.forEachReady { if $0.stage == .heldBack { jobs.append($0) } }
    for job in jobs where job.stage == .heldBack { ready(job, &effects) }
    checkInvariants()
  }

  package var isPauseAwaited: Bool {
    guard isPaused, let rare else { return false }
    var isAwaited = false
    rare.drainers.forEach { if $0.pauses { isAwaited = true } }
    return isAwaited
  }

  /// Whether the pause holds the job back; nested calls, and jobs that running jobs need, are exempt.
  @inline(__always)
  package func isHeldBack(_ job: Job) -> Bool { isPaused && !job.isNested && !passes(job) }

  func passes(_ job: Job) -> Bool { isPaused && job.passedPause == pauses }

  /// Exempts a job, and what it waits for, from the pause.
  mutating func letPass(_ job: Job) -> Effects {
    var effects = Effects()
    var jobs = Few.one(job)
    while isPaused, let job = jobs.removeLast() {
      if !job.isWaiting && !job.waitsInTurn || job.isNested || passes(job) { continue }
      job.passedPause = pauses
      if job.waitsInTurn { continue }
      release(job, &effects)
      forEachInTheWay(of: job, mayJump: false) { jobs.append($1) }
      if job.pending > 0 || !job.isWaiting { continue }
      // Ahead of jobs that wait for a slot and are held back.
      endWaitForSlot(job)
      ready(job, &effects)
    }
    fillSlots(&effects)
    checkInvariants()
    return effects
  }

  /// Notes that the job no longer waits in its turn, if it did.
  package mutating func goOn(_ job: Job) {
    guard job.waitsInTurn else { return }
    job.stage = .running
    waitingInTurn -= 1
  }
}
