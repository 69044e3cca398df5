// Jobs that share a turn: how they come into a batch, begin, and go.

extension LineState {
  /// The batch that a job which comes now would belong to: that of the tail, be it the turn's.
  @usableFromInline
  package var openBatch: Batch? { (waiting.last ?? turn.waiter)?.batch }

  @usableFromInline
  package enum Seating: Sendable {
    /// Its turn has come at once.
    case granted
    case waiting(Raise?)
    case rejected(JobRejection)
  }

  /// A job that may run together with its neighbours takes its place; `makeBatch` is called if the tail is no batch.
  @usableFromInline
  package mutating func seat(_ seat: Seat, makeBatch: () -> Batch) -> Seating {
    if isClosed { return .rejected(.closed) }
    let open = openBatch
    let mustWait = isPaused || (open.map { turn.waiter !== $0 || !$0.hasRoom } ?? !turn.isFree)
    if mustWait, isFull, let capacity { return .rejected(.full(capacity: capacity)) }
    defer { checkInvariants() }
    lastPlace += 1
    seat.place = lastPlace
    let batch = open ?? makeBatch()
    batch.take(seat)
    seats.waiting += 1
    var raise: Raise?
    if open != nil {
      raise = self.raise(seat, to: seat.priority)
    } else {
      batch.place = lastPlace
      if turn.isFree, !isPaused {
        grant(batch)
      } else {
        waiting.append(batch)
        seats.batches += 1
        raise = self.raise(aheadOf: batch, to: batch.priority)
      }
    }
    if mustWait { return .waiting(raise) }
    _ = share()
    // Nobody else had a seat to be granted, and this one's task is still to be made.
    var nobody = Wake.nobody
    batch.letGo(into: &nobody)
    return .granted
  }

  /// Somebody of this priority waits for the job: what delays it should not run at a lower one.
  @usableFromInline
  package mutating func raise(_ seat: Seat, to priority: UInt8) -> Raise? {
    guard let batch = seat.home else { return nil }
    var raise: Raise?
    if turn.waiter !== batch, batch.raisedTo < priority {
      batch.raisedTo = priority
      raise = self.raise(aheadOf: batch, to: priority)
    }
    // Reads beside it do not delay it unless there is no room for all.
    if seat.isWaiting, batch.isCrowded, batch.floor < priority {
      batch.floor = priority
      raise = raise ?? Raise(priority: priority)
      raise?.submitted.append(batch)
    }
    return raise
  }

  /// The batch that has the turn lets in those for whom there is room, and a batch that stands right behind.
  ///
  /// - Returns: The batch, if some of its jobs are to go on.
  mutating func share() -> Batch? {
    guard var batch = turn.waiter?.batch else { return nil }
    if let next = waiting.first?.batch { batch = merge(batch, next) }
    batch.state = .running
    if isPaused { return nil }
    let before = batch.waiting.count
    let hasBegun = batch.fill()
    seats.waiting += batch.waiting.count - before
    return hasBegun ? batch : nil
  }

  /// Makes one batch of two between which nothing stands any more, and returns it; the first may have the turn.
  @discardableResult
  mutating func merge(_ batch: Batch, _ next: Batch) -> Batch {
    waiting.remove(next)
    seats.batches -= 1
    guard batch.isSmaller(than: next) else {
      batch.absorb(next, inFront: false)
      return batch
    }
    next.place = batch.place
    if turn.waiter === batch { turn = .granted(next) } else { waiting.replace(batch, by: next) }
    next.absorb(batch, inFront: true)
    return next
  }

  package enum SeatBeginning: Sendable {
    case run
    /// It was not granted yet, or the line was paused after that: wait.
    case putBack
    /// It had left its batch.
    case gone
    /// It was granted and is rejected all the same.
    case turnedAway(Handover)
  }

  /// The task of a job goes on, to run it or to learn that it was rejected.
  package mutating func begin(_ seat: Seat) -> SeatBeginning {
    switch seat.state {
    case .granted:
      seat.state = .running
      return .run
    case .waiting: return .putBack
    case .rejected: return .gone
    case .revoked(let why):
      let handover = finish(seat)
      seat.state = .rejected(why)
      return .turnedAway(handover)
    case .running: preconditionFailure("a job begins once")
    }
  }

  /// The job has ended, or was turned away.
  package mutating func finish(_ seat: Seat) -> Handover {
    seat.home?.release(seat)
    return passOn()
  }

  package enum SeatDeparture: Sendable {
    /// It never runs; the turn may go on.
    case left(Handover)
    /// It was granted, and is turned away when it is about to begin.
    case revoked
    /// It runs, and is to be cancelled.
    case running
    /// It had ended before.
    case gone
  }

  /// Nobody wants the job any more.
  package mutating func leave(_ seat: Seat) -> SeatDeparture {
    switch seat.state {
    case .waiting:
      guard let batch = seat.home else { return .gone }
      batch.release(seat)
      seats.waiting -= 1
      seat.state = .rejected(.cancelled)
      if batch.isEmpty, turn.waiter !== batch {
        waiting.remove(batch)
        seats.batches -= 1
        batch.state = .rejected(.cancelled)
      }
      return .left(passOn())
    case .granted:
      seat.revoke(.cancelled)
      return .revoked
    case .running: return seat.home == nil ? .gone : .running
    case .revoked, .rejected: return .gone
    }
  }
}
