/// The shell around ``AccessState``: requests access, lends it to jobs, and releases it.
///
/// Requests are jobs of an executor with the same keys: one at a time for each key, cancelled and drained like jobs.
final class AccessDesk<Key: Hashable & Sendable>: Sendable {
  /// One key, while it has jobs or access; safe because the lock of the desk protects its state.
  final class Entry: @unchecked Sendable {
    let key: StableKey<Key>
    let number: UInt64
    var state: AccessState<Holding>
    /// Where the job that has the turn waits; opened whenever it may continue.
    var front: Latch?

    init(_ key: StableKey<Key>, _ number: UInt64, _ terms: AccessState<Holding>.Terms) {
      self.key = key.numbered(number)
      self.number = number
      state = AccessState(terms)
    }
  }

  struct Entries: Sendable {
    var byKey: [StableKey<Key>: Entry] = [:]
    var made: UInt64 = 0
    var requests = 0
    /// Opened when there is no request, or the pause has ended.
    var quiet: Latch?
    /// Then only running jobs hold access.
    var isPaused = false
    /// Then access is not kept.
    var isClosed = false
  }

  let entries = Lock(Entries())
  let access: any ExclusiveAccess<Key>
  let terms: AccessState<Holding>.Terms
  let line: KeyedLine<Key>
  let requests: KeyedSerialTaskExecutor<Key>
  let clock: AnyClock
  private let events: AccessEvents?

  init(
    _ access: any ExclusiveAccess<Key>, for line: KeyedLine<Key>, _ terms: AccessState<Holding>.Terms,
    clock: some Clock<Duration>, onAccess: (@Sendable (TaskEvent) -> Void)?, events: AccessEvents?
  ) {
    Line.check("jobsPerAccess", terms.jobs)
    self.access = access
    self.line = line
    self.terms = terms
    self.clock = AnyClock(clock)
    self.events = events
    requests = KeyedSerialTaskExecutor(name: "\(line.label) access", clock: clock, onEvent: onAccess)
  }
}

// MARK: - Jobs

extension AccessDesk {
  struct Job: Sendable {
    struct Seat: Sendable {
      let entry: Entry
      let ticket: AccessState<Holding>.Ticket
    }

    /// In the order of requests.
    let seats: [Seat]
    let isSubmitted: Bool
    let limit: (duration: Duration, start: Duration)?
  }

  /// Gets the keys in that order; the job must call ``leave(_:)``, however it ends.
  @inline(never)
  func arrive(_ keys: [Key], within limit: Duration? = nil, isSubmitted: Bool = false) -> Job {
    let keys = keys.map { StableKey($0) }
    let now = keys.count > 1 ? keepingTime : .zero
    var seats: [Job.Seat] = []
    update { entries in
      seats = keys.map { key in
        let entry = entries.entry(of: key, terms)
        return Job.Seat(entry: entry, ticket: entry.state.arrive(isOfSet: keys.count > 1))
      }
      return keys.count > 1 ? rest(seats, entries, at: now) : []
    }
    return Job(seats: seats, isSubmitted: isSubmitted, limit: limit.map { ($0, clock.now) })
  }

  @inline(never)
  func leave(_ job: Job) {
    let now = keepingTime
    update { entries in
      for seat in job.seats { seat.entry.state.leave(seat.ticket, isSubmitted: job.isSubmitted) }
      return rest(job.seats, entries, at: now)
    }
  }

  /// Called under the lock.
  private func rest(_ seats: [Job.Seat], _ entries: Entries, at now: Duration) -> [(Entry, Ending)] {
    let mayKeep = !entries.isPaused && !entries.isClosed
    return seats.map { seat in
      let hasNext = seat.entry.state.awaitsJob && hasNext(seat.entry)
      return (seat.entry, seat.entry.state.rest(hasNext: hasNext, mayKeep: mayKeep, at: now))
    }
  }

  /// Called under the lock, and so in time: a job that has its turn leaves later, and then the line is read again.
  private func hasNext(_ entry: Entry) -> Bool {
    entry.front != nil
      || entry.state.hasNext(isPaused: line.isPaused, hasTurn: standing(of: entry).running > 0)
  }

  /// Looks the key up without its number, which is not the line's.
  func standing(of entry: Entry) -> ExecutorSnapshot { line.snapshot(of: entry.key.numbered(0)) }

  func rejection(_ why: JobRejection, of job: Job) -> FencedRejection {
    if case .late = why { noteLate(job) }
    return .rejected(why)
  }

  @inline(never)
  func noteLate(_ job: Job) {
    guard let limit = job.limit?.duration else { return }
    let now = clock.now
    update { _ in job.seats.map { ($0.entry, $0.entry.state.giveUp(lateBy: limit, at: now)) } }
  }

  /// Passes the fences in the order of the job's keys.
  nonisolated(nonsending) func run<Success: ~Copyable, Failure: Error>(
    _ job: Job, rejectedAs failure: (FencedRejection) -> Failure,
    _ body: nonisolated(nonsending) ([Fence]) async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let place = line.ownPlace!
    let granted = await holdings(for: job, at: place)
    if let events {
      switch granted {
      case .success: events.begin(place)
      case .failure(.rejected(let why)): events.reject(place, why)
      case .failure(.noAccess): break
      }
    }
    let holdings: [Holding]
    switch granted {
    case .success(let granted): holdings = granted
    case .failure(.rejected(let why)):
      if why == .withdrawn || why == .cancelled { line.noteInterruption() }
      throw failure(rejection(why, of: job))
    case .failure(let why): throw failure(why)
    }
    defer { finish(holdings, job) }
    return try await body(holdings.map(\.fence))
  }

  // Not inlined: see `Lock`.

  @inline(never)
  private func finish(_ holdings: [Holding], _ job: Job) {
    let now = keepingTime
    update { _ in zip(job.seats, holdings).map { ($0.entry, $0.entry.state.finish($1, at: now)) } }
  }

  private var keepingTime: Duration { terms.keeping > .zero ? clock.now : .zero }
}
