extension Reads {
  /// Takes the place of an older, equal write that has not begun, or a new place; with a pause, waits for a newer write.
  ///
  /// The older write must touch the same keys and return the same type, and no conflicting job may have arrived in between.
  @_alwaysEmitIntoClient
  func submitLatest<Success: Sendable>(
    _ latest: Key, touching touched: Touched<Key>, pause: DraftPause?, name: String?, priority: TaskPriority?,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) -> SubmittedJob<Success> {
    let submission = ReplaceableSubmission<Success>(line: line, name: name, priority: TaskPriority.ofTask(priority))
    let (key, now) = (StableKey(latest), line.clock.now)
    submission.start = WaitStart(at: now)
    var effects = Effects()
    let (arrival, series, older, due) = line.locked { state -> (Arrival, Series?, Submission?, Duration?) in
      if let (series, older) = replaceable(key, touching: touched, state), older is ReplaceableSubmission<Success> {
        submission.series = series
        series.replace(older, by: submission, pause, at: now)
        let arrival = state.replace(older, by: submission, &effects)
        if pause == nil { state.release(submission, &effects) }
        return (arrival, series, older, submission.isOnHold ? series.due : nil)
      }
      line.keys.prepare(submission, touching: touched, &state)
      if pause != nil { submission.stage = .onHold }
      let arrival = state.arrive(submission, &effects)
      if case .rejected = arrival { return (arrival, nil, nil, nil) }
      let series = Series(submission, pause, at: now)
      submission.series = series
      list(series, key.numbered(submission.place))
      return (arrival, series, nil, series.due)
    }
    if let older { line.report(.replaced, older) }
    if let series {
      let own = key.numbered(submission.place)
      submission.observe { self.end(series, own, with: submission) }
      if let due { series.setTimer(at: due, in: line) }
    }
    line.start(submission, arrival, priority: priority, isOnHold: due != nil, job)
    effects.carryOut(on: line)
    return SubmittedJob(submission)
  }

  /// Returns the key's newest write and its series, if a write that touches the same keys may replace it; called
  /// under the line's lock.
  @_alwaysEmitIntoClient
  func replaceable(
    _ key: StableKey<Key>, touching touched: Touched<Key>, _ state: borrowing LineState
  ) -> (Series, Submission)? {
    guard !state.isClosed, let series = latest.withLock({ $0[key] }), let write = series.newest,
      state.isReplaceable(write)
    else { return nil }
    let queues: [JobQueue?] =
      switch touched {
      case .everyKey: []
      case .one(let key): [line.keys[key]]
      case .many(let keys): keys.map { line.keys[$0] }
      }
    return write.touches(only: queues) ? (series, write) : nil
  }

  /// Makes newer writes find this series, and no older one; called under the line's lock.
  @_alwaysEmitIntoClient
  func list(_ series: Series, _ key: StableKey<Key>) {
    latest.withLock { table in
      // Not the key of the older series, which may be released with that.
      if let index = table.index(forKey: key) { table.remove(at: index).value.unlist() }
      table[key] = series
    }
  }

  /// Settles the writes that this one has replaced, unless it was replaced itself.
  @_alwaysEmitIntoClient
  func end<Success>(_ series: Series, _ key: StableKey<Key>, with newest: ReplaceableSubmission<Success>) {
    for older in takeReplaced(series, key, by: newest) {
      (older as! ReplaceableSubmission<Success>).settle(newest.result!)
    }
  }

  @usableFromInline
  func takeReplaced(_ series: Series, _ key: StableKey<Key>, by newest: Submission) -> [Submission] {
    let end = line.locked { _ -> (replaced: [Submission], timer: TimeLimit?, wasListed: Bool)? in
      guard let end = series.end(with: newest) else { return nil }
      for older in end.replaced { older.isCancelled = newest.isCancelled }
      if end.wasListed {
        latest.withLock { table in
          if let index = table.index(of: series, for: key) { table.remove(at: index) }
          table.shrinkIfSparse()
        }
      }
      return end
    }
    end?.timer?.end()
    return end?.replaced ?? []
  }
}

extension LineState {
  /// Whether a newer job may take this one's place: it has not begun, and no conflicting job except reads has arrived since.
  @usableFromInline
  package func isReplaceable(_ job: Job) -> Bool {
    var isNewest = !job.hasBegun
    job.forEachPlace(all) { if !$1.isLastAlone(job.place) { isNewest = false } }
    return isNewest
  }
}

extension Job {
  /// Whether the job has a place in each of these distinct queues, and in no other.
  @usableFromInline
  package final func touches(only queues: [JobQueue?]) -> Bool {
    var (count, agrees) = (0, true)
    forEachKey { _, queue in
      count += 1
      if !queues.contains(where: { $0 === queue }) { agrees = false }
    }
    return agrees && count == queues.count
  }
}
