import SerialTasks

/// The shell around ``AccessState``: asks the engine for access, lends it to jobs, and releases it.
///
/// Requests are jobs of an executor with the same keys. So a key has one at a time, the next is sent when the one before it has
/// been released, a request that is not wanted any more is cancelled as jobs are, and all of them are drained together.
final class AccessDesk<Key: Hashable & Sendable>: Sendable {
  /// One key, while it has jobs or access.
  ///
  /// Safe because what is mutable is reached only under the lock of the desk.
  final class Entry: @unchecked Sendable {
    let key: StableKey<Key>
    /// Which entry of the desk it is.
    let number: UInt64
    var state: AccessState<Holding>
    /// Where the job waits that has the turn of the key, if it waits; opened whenever it may go on.
    var front: Latch?

    fileprivate init(_ key: StableKey<Key>, _ number: UInt64, _ terms: AccessState<Holding>.Terms) {
      self.key = key.numbered(number)
      self.number = number
      state = AccessState(terms)
    }
  }

  struct Entries: Sendable {
    var byKey: [StableKey<Key>: Entry] = [:]
    /// How many have been made.
    var made: UInt64 = 0
    /// How many requests have been sent and have not come to their end.
    var requests = 0
    /// Opened when there is no request, or when the line is not paused any more.
    var quiet: Latch?
    /// Whether the line is paused: then access is held only by jobs that run.
    var isPaused = false
    /// How many have asked that nothing is kept: each caller that drains all keys, and each that closes.
    var drains = 0
  }

  let entries = Lock(Entries())
  let access: any ExclusiveAccess<Key>
  let terms: AccessState<Holding>.Terms
  /// Where the jobs have their turns.
  let line: KeyedLine<Key>
  let requests: KeyedSerialTaskExecutor<Key>
  let clock: AnyClock
  private let events: AccessEvents?

  /// - Parameters:
  ///   - access: Grants access.
  ///   - line: Where the jobs have their turns.
  ///   - terms: For how many jobs and how long access is held.
  ///   - clock: Measures requests, how long jobs wait, and how long access is kept.
  ///   - onAccess: Called for what happens to each request.
  ///   - events: What the executor's events are made by, if it reports any.
  init(
    _ access: any ExclusiveAccess<Key>, for line: KeyedLine<Key>, _ terms: AccessState<Holding>.Terms,
    clock: some Clock<Duration>, onAccess: (@Sendable (TaskEvent) -> Void)?, events: AccessEvents?
  ) {
    // Not a precondition: those say nothing in release builds.
    if terms.jobs < 1 { fatalError("jobsPerAccess must be at least 1, and is \(terms.jobs)") }
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
  /// A job that has arrived.
  struct Job: Sendable {
    /// What it has at one of its keys.
    struct Seat: Sendable {
      let entry: Entry
      let ticket: AccessState<Holding>.Ticket
    }

    /// In the order in which access is asked for.
    let seats: [Seat]
    let isSubmitted: Bool
    /// How long it may wait, and since when.
    let limit: (duration: Duration, start: Duration)?
  }

  /// Notes that a job comes to the keys; it is to leave again, however it ends.
  ///
  /// - Parameters:
  ///   - keys: Its keys, in the order in which access is asked for.
  ///   - limit: How long it may wait.
  ///   - isSubmitted: Whether its call returns before it ends.
  /// - Returns: The job.
  @inline(never)
  func arrive(_ keys: [Key], within limit: Duration? = nil, isSubmitted: Bool = false) -> Job {
    let keys = keys.map { StableKey($0) }
    let seats = entries.withLock { entries in
      keys.map { key in
        let entry = entries.entry(of: key, terms)
        return Job.Seat(entry: entry, ticket: entry.state.arrive(isOfSet: keys.count > 1))
      }
    }
    return Job(seats: seats, isSubmitted: isSubmitted, limit: limit.map { ($0, clock.now) })
  }

  /// Notes that the call of a job returns.
  @inline(never)
  func leave(_ job: Job) {
    let followed = followed(job)
    let now = keepingTime
    update { entries in
      let (isPaused, mayKeep) = (entries.isPaused, !entries.isPaused && entries.drains == 0)
      return zip(job.seats, followed).map { seat, isFollowed in
        let hasNext = seat.entry.front != nil || isFollowed && !isPaused
        return (seat.entry, seat.entry.state.leave(seat.ticket, hasNext: hasNext, mayKeep: mayKeep, at: now))
      }
    }
  }

  /// Returns whether, at each key of the job, the next job has the turn or is about to have it, if there are others.
  ///
  /// One with several keys may be the next at this key and wait for its turn at another. A submitted job still has its turn when
  /// it leaves, so what comes behind it is not known.
  private func followed(_ job: Job) -> [Bool] {
    let sets = entries.withLock { _ in
      job.seats.map { $0.entry.state.jobsOfSets - (job.seats.count > 1 ? 1 : 0) }
    }
    return zip(job.seats, sets).map { seat, sets in
      sets == 0 || !job.isSubmitted && line.snapshot(of: seat.entry.key.key).running > 0
    }
  }

  /// Returns what a call throws whose job was rejected.
  func rejection(_ why: JobRejection, of job: Job) -> FencedRejection {
    if case .late = why { noteLate(job) }
    return .rejected(why)
  }

  /// Notes that a job is late: a request that had as long as its limit is given up.
  @inline(never)
  func noteLate(_ job: Job) {
    guard let limit = job.limit?.duration else { return }
    let now = clock.now
    update { _ in job.seats.map { ($0.entry, $0.entry.state.giveUp(lateBy: limit, at: now)) } }
  }

  /// Runs the body under a grant for each key; to be called in the job's turn.
  ///
  /// - Parameters:
  ///   - job: What has arrived.
  ///   - failure: Returns the error if it never runs.
  ///   - body: What to run, with the fences in the order of the job's keys.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, or what `rejectedAs` returned.
  nonisolated(nonsending) func run<Success: ~Copyable, Failure: Error>(
    _ job: Job, rejectedAs failure: (FencedRejection) -> Failure,
    _ body: nonisolated(nonsending) ([Fence]) async throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let granted = await holdings(for: job)
    if let events, let place = line.heldPlace {
      switch granted {
      case .success: events.begin(place)
      case .failure(.rejected(let why)): events.reject(place, why)
      case .failure(.noAccess): break
      }
    }
    let holdings: [Holding]
    switch granted {
    case .success(let granted): holdings = granted
    case .failure(.rejected(let why)): throw failure(rejection(why, of: job))
    case .failure(let why): throw failure(why)
    }
    defer { finish(holdings, job) }
    return try await body(holdings.map(\.fence))
  }

  // Not inlined into async functions, as `Lock` asks for.

  @inline(never)
  private func finish(_ holdings: [Holding], _ job: Job) {
    let now = keepingTime
    update { _ in zip(job.seats, holdings).map { ($0.entry, $0.entry.state.finish($1, at: now)) } }
  }

  /// The time, if access is kept.
  private var keepingTime: Duration { terms.keeping > .zero ? clock.now : .zero }
}

// MARK: - Entries

extension AccessDesk.Entries {
  /// Returns the entry of the key, which is made if there is none.
  mutating func entry(of key: StableKey<Key>, _ terms: AccessState<Holding>.Terms) -> AccessDesk.Entry {
    if let entry = byKey[key] { return entry }
    made += 1
    let entry = AccessDesk.Entry(key, made, terms)
    byKey[entry.key] = entry
    return entry
  }

  /// In the order in which they were made.
  var all: [AccessDesk.Entry] { byKey.values.sorted { $0.number < $1.number } }
}

extension AccessDesk {
  typealias Ending = AccessState<Holding>.Ending

  /// Changes entries under the lock, forgets those that are not used any more, and does what was decided.
  @inline(never)
  func update(_ body: (inout Entries) -> [(Entry, Ending)]) {
    let (decided, forgotten, opened) = entries.withLock { entries in
      let decided = body(&entries)
      // Keys are released after the unlock, with the entries that hold them.
      let forgotten = decided.compactMap { entry, _ in
        // Another entry may have the key by now.
        guard entry.state.isUnused, entries.byKey[entry.key] === entry else { return nil as Entry? }
        return entries.byKey.removeValue(forKey: entry.key)
      }
      let opened = decided.compactMap { entry, ending in if case .cancel = ending { entry.front } else { nil } }
      return (decided.map(\.1), forgotten, opened)
    }
    _ = forgotten
    for ending in decided {
      switch ending {
      case .nothing: break
      case .release(let holding): holding.release()
      case .cancel(let holding): holding.cancel()
      }
    }
    for front in opened { front.open() }
  }

  /// The number of keys that have jobs or access.
  var busyKeys: Int { entries.withLock { $0.byKey.count } }

  /// The number of keys to which this process has access.
  var heldKeys: Int { entries.withLock { entries in entries.byKey.values.count { $0.state.held != nil } } }
}
