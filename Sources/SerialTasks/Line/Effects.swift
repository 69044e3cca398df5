/// The effects of a decision under a lock, carried out after the unlock.
@usableFromInline
package struct Effects: Sendable {
  /// In this order.
  @usableFromInline package internal(set) var resumed = Few<Suspension>.none
  /// Jobs that have their turn and no task yet.
  package internal(set) var started = Few<Submission>.none
  /// Keys that no job touches any more, released with this value after the unlock.
  private var released = Few<JobQueue>.none
  package private(set) var others: [Other] = []

  package enum Other: Sendable {
    /// Before tasks are resumed: a job should begin with its raised priority.
    case escalate(Job, to: UInt8)
    /// A caller's task that has the turn, and ends only after it was raised.
    case escalateCaller(EscalationPin, to: UInt8)
    /// Runs foreign code: for a line last, for other owners first.
    case cancel(Task<Void, Never>)
    case cancelLater(Task<Void, Never>)
    case cancelCaller(EscalationPin)
  }

  @usableFromInline package init() {}

  @usableFromInline
  package mutating func resume(_ waiter: Waiter) { resumed.append(waiter: waiter) }

  mutating func grant(_ job: Job) {
    if let job = job.unstarted { started.append(job) } else { job.resume(into: &self) }
  }

  /// Raises the job's task after the unlock; that of a caller is pinned, and raised only during its turn.
  mutating func escalate(_ job: Job, to priority: UInt8) {
    if job.isSubmitted {
      others.append(.escalate(job, to: priority))
    } else if let caller = job.holdCaller() {
      others.append(.escalateCaller(caller, to: priority))
    }
  }

  package mutating func cancel(_ task: Task<Void, Never>?, later: Bool = false) {
    if let task { others.append(later ? .cancelLater(task) : .cancel(task)) }
  }
  mutating func cancel(_ caller: EscalationPin) { others.append(.cancelCaller(caller)) }
  mutating func release(_ queue: JobQueue) { released.append(queue) }

  mutating func takeStarted(inTaskOf job: Submission, _ task: Task<Void, Never>?) -> Submission? {
    guard let next = started.removeFirst(where: { $0.mayRun(inTaskOf: job) }) else { return nil }
    next.handle = task
    next.awaitsTask = false
    return next
  }
}

extension Effects {
  @usableFromInline @inline(never)
  package func carryOut(on line: Line) {
    if !others.isEmpty { escalateOthers(on: line) }
    resumed.resumeAll()
    if !started.isEmpty { startTasks(on: line) }
    if !others.isEmpty { cancelOthers() }
  }

  // Not inlined: the common path would reserve memory for the runtime's types.

  @inline(never)
  private func startTasks(on line: Line) { started.forEach { line.start($0) } }

  @inline(never)
  private func escalateOthers(on line: Line) {
    for other in others {
      switch other {
      case .escalate(let job, let priority):
        // The task is looked up now: it may have been created since.
        line.locked { _ in job.escalate(to: priority) }?.escalate(to: priority)
      case .escalateCaller(let caller, let priority): caller.escalate(to: priority)
      case .cancel, .cancelLater, .cancelCaller: break
      }
    }
  }

  @inline(never)
  private func cancelOthers() {
    for other in others {
      switch other {
      case .cancel(let task): task.cancel()
      case .cancelLater(let task): Task<Void, Never>.detached { task.cancel() }
      case .cancelCaller(let caller): caller.cancel()
      case .escalate, .escalateCaller: break
      }
    }
  }

  /// Cancels first, so that a cancelled operation stores no result after one that begins now.
  package func carryOut() {
    if !others.isEmpty { cancelOthers() }
    resumed.resumeAll()
  }
}
