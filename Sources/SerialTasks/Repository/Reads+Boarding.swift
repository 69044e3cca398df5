// How a read finds an equal one to join, or a place of its own.
//
// Reads of one key are joined if no claim that is alone stands between them, on the key or in the queue of all jobs. Both kinds of
// claims are among the marks of the key's queue, so the youngest that can be joined is found first.

extension Reads {
  @usableFromInline
  enum Boarding<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Flight = TypedReadFlight<Value, Failure>

    /// An equal read runs, or waits; these are to be raised.
    case joined(Flight, Few<Escalation>)
    /// The read is the caller's to start, and may have to wait for its turn.
    case leads(Flight, Arrival)
    case rejected(JobRejection)
  }

  /// Finds the caller a read to join, or a place for its own.
  ///
  /// - Parameters:
  ///   - key: What is read.
  ///   - caller: Who waits for it.
  ///   - submission: The caller itself, if it is a submitted read.
  ///   - priority: What the operation begins with, if the caller leads.
  ///   - limit: How long the caller may wait.
  /// - Returns: The read, and what is to be done.
  @inlinable @inline(never)
  func board<Value, Failure>(
    _ key: StableKey<Key>, _ caller: Waiter, _ submission: ReadSubmission<Value, Failure>? = nil, priority: UInt8,
    waitingAtMost limit: Duration? = nil
  ) -> Boarding<Value, Failure> {
    let kind = JobClaim.Kind([.read, .slot]).limited(to: limit)
    let types = ReadTypes(Value.self, Failure.self)
    return line.state.withLock { table in
      if table.isClosed { return .rejected(.closed) }
      line.keys.settle(.one(key), &table)
      let queue = line.keys.queue(of: key)
      if let running = queue.joinable(types, in: table.all) {
        // Safe because these are the types of the read.
        let flight = unsafeDowncast(running, to: TypedReadFlight<Value, Failure>.self)
        if flight.read.isWaiting, kind.contains(.immediate) { return .rejected(.late) }
        flight.waiters.append(caller)
        submission?.flight = flight
        return .joined(flight, table.escalate(flight.read, to: caller.priority))
      }
      let flight = TypedReadFlight<Value, Failure>(
        nil, line: line, types: types, name: caller.name, priority: priority, urgency: caller.priority)
      let arrival = flight.join(queue, &table, kind: kind)
      if case .rejected(let why) = arrival { return .rejected(why) }
      flight.waiters.append(caller)
      submission?.flight = flight
      return .leads(flight, arrival)
    }
  }
}

extension KeyQueue {
  /// The read that a caller joins which returns and throws these types, if there is one.
  @usableFromInline
  final func joinable(_ types: ReadTypes, in all: KeyQueue) -> ReadFlight? {
    let barrier = all.lastMark?.job.waiter.place ?? 0
    var mark = lastMark
    while let claim = mark, claim.isShared {
      // Safe because only reads share a key.
      let read = unsafeDowncast(claim.job.waiter, to: ReadJob.self)
      if read.place < barrier { return nil }
      if read.flight.types == types { return read.flight }
      mark = claim.earlierMark
    }
    return nil
  }
}

extension ReadFlight {
  /// Takes a place among the claims of the key.
  @usableFromInline
  package final func join(_ queue: KeyQueue, _ table: inout ClaimTable, kind: JobClaim.Kind = [.read, .slot])
    -> Arrival
  {
    let claim = Claim(on: queue, isShared: true, sibling: nil)
    let arrival = table.join(
      JobClaim(in: table, read, kind: kind, touchesEveryKey: false, first: claim))
    if case .rejected = arrival { return arrival }
    queue.mark(claim)
    read.awaitsTask = false
    return arrival
  }
}
