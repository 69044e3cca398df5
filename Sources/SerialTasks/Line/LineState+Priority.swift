extension LineState {
  /// Whom to raise, and to what.
  @usableFromInline
  package struct Raise: Sendable {
    package let priority: UInt8
    /// Submitted jobs ahead in the line, the holder of the turn included if it is one.
    package var submitted: [Waiter] = []
    /// The holder of the turn if it is a caller's own task, held so that it does not end before it has been raised.
    package var holder: EscalationPin?
  }

  /// Everything ahead of the waiter delays it, so nothing ahead of it should run at a lower priority.
  ///
  /// `raisedTo` falls towards the tail, so the walk ends at the first that is high enough: each waiter is visited once for
  /// each distinct priority, whatever the length of the line.
  package mutating func raise(aheadOf waiter: Waiter, to priority: UInt8) -> Raise? {
    raise(from: waiter.previous, to: priority)
  }

  /// Everything in the line delays a drain.
  package mutating func raiseAll(to priority: UInt8) -> Raise? { raise(from: waiting.last, to: priority) }

  private mutating func raise(from last: Waiter?, to priority: UInt8) -> Raise? {
    var raise = Raise(priority: priority)
    var cursor = last
    while let ahead = cursor, ahead.raisedTo < priority {
      ahead.raisedTo = priority
      ahead.batch?.floor = priority
      if ahead.isSubmitted { raise.submitted.append(ahead) }
      cursor = ahead.previous
    }
    if let batch = cursor?.batch, batch.floor < priority {
      // One of its own jobs is as urgent, and the others were not raised for that.
      batch.floor = priority
      raise.submitted.append(batch)
    } else if cursor == nil, turn.raisedTo < priority {
      raise.holder = turn.raise(to: priority)
      turn.waiter?.batch?.floor = priority
      if let holder = turn.waiter, holder.isSubmitted { raise.submitted.append(holder) }
    }
    return raise.submitted.isEmpty && raise.holder == nil ? nil : raise
  }
}
