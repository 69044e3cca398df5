/// The events of jobs that wait for access, made from the events of their line, for which such jobs are running.
///
/// A job to which the engine grants no access is reported without a running time:
///
/// ```
///   line:      began ──────────────────────────────► failed
///   reported:          began ──────────────────────► failed        begin when it has access
///   reported:                              rejected                reject before that
///   reported:                            began, failed             neither: the engine has failed
/// ```
final class AccessEvents: Sendable {
  private struct Job: Sendable {
    var began: TaskEvent
    /// When it had its turn.
    let turn: Duration
    var hasAccess = false
    var rejection: JobRejection?

    mutating func begin(at now: Duration) -> TaskEvent {
      let wait = max(.zero, now - turn)
      began = began.with(.began, at: began.instant.advanced(by: wait), waited: began.waited.map { $0 + wait })
      hasAccess = true
      return began
    }

    func end(_ kind: TaskEvent.Kind, at instant: ContinuousClock.Instant, hasRun: Bool) -> TaskEvent {
      let ran = rejection == nil && hasRun ? max(.zero, began.instant.duration(to: instant)) : nil
      return began.with(rejection.map { .rejected($0) } ?? kind, at: instant, waited: began.waited, ran: ran)
    }
  }

  private let jobs = Lock<[UInt64: Job]>([:])
  private let clock: AnyClock
  private let onEvent: @Sendable (TaskEvent) -> Void

  init(clock: AnyClock, onEvent: @escaping @Sendable (TaskEvent) -> Void) {
    self.clock = clock
    self.onEvent = onEvent
  }

  // Not inlined: see `Lock`.

  @inline(never)
  func begin(_ place: UInt64) {
    let now = clock.now
    if let event = jobs.withLock({ $0[place]?.begin(at: now) }) { onEvent(event) }
  }

  @inline(never)
  func reject(_ place: UInt64, _ why: JobRejection) {
    let now = clock.now
    jobs.withLock { jobs in
      _ = jobs[place]?.begin(at: now)
      jobs[place]?.rejection = why
    }
  }

  func receive(_ event: TaskEvent) {
    guard let place = event.place else { return onEvent(event) }
    switch event.kind {
    case .began:
      let job = Job(began: event, turn: clock.now)
      jobs.withLock { $0[place] = job }
    case .finished, .failed:
      guard var job = jobs.withLock({ $0.removeValue(forKey: place) }) else { return onEvent(event) }
      let hasRun = job.hasAccess
      if !hasRun { onEvent(job.begin(at: clock.now)) }
      onEvent(job.end(event.kind, at: event.instant, hasRun: hasRun))
    default: onEvent(event)
    }
  }
}
