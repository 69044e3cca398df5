/// The turn of a job that touches keys, as the wait graph sees it.
///
/// Safe because it adds only what is reached under the lock of the line.
@usableFromInline
package final class KeyedTurn: WaitNode, @unchecked Sendable {
  /// Safe because a turn is used only while its job runs, and then the call that runs the job holds the line; or by a
  /// ``CycleSearch/Cycle``, which holds the line itself.
  fileprivate unowned(unsafe) let line: ClaimLine
  /// The claim of the job that has it.
  @exclusivity(unchecked) package var claim: JobClaim?
  /// The caller that has it without claims, and the number of its key; see ``KeyTable/enter(_:_:named:task:)``.
  @exclusivity(unchecked) package var caller: Turn.Entered?
  @exclusivity(unchecked) @usableFromInline var number: UInt64 = 0

  fileprivate init(of line: ClaimLine) {
    self.line = line
    super.init(generation: .take())
  }

  deinit { TurnGeneration.release(generation) }

  /// The waiter of its job, if that has claims.
  @usableFromInline package var waiter: Waiter? { claim?.waiter }

  package override var resource: WaitNode { line }

  package override var details: AnyObject? { line.claim(of: self) }

  package override var job: String? { line.job(of: self) }

  package override var label: String { line.label(touching: line.claim(of: self)) }

  package override func isWatched() { line.claim(of: self)?.waiter?.isWatched() }

  package override var isLimited: Bool { line.claim(of: self)?.waiter?.isLimited ?? false }

  package override var stake: Stake? { line.stake(of: line.claim(of: self)) }
}

/// The turns of a line that no job has: they are kept for the jobs to come, because to make one takes a lock of all lines.
///
/// Safe because every mutable property is reached only under the lock of the line, but for `line`, which is set once, before
/// the line is used.
package final class TurnPool: @unchecked Sendable {
  /// Also the turn of a caller that finds the line free.
  @exclusivity(unchecked) private(set) unowned(unsafe) var line: ClaimLine!
  @exclusivity(unchecked) private var spares: [KeyedTurn] = []

  private static let mostSpares = 32

  package init() {}

  func bind(to line: ClaimLine) { self.line = line }

  func take(for job: JobClaim?) -> KeyedTurn {
    let turn = spares.popLast() ?? KeyedTurn(of: line)
    turn.claim = job
    return turn
  }

  /// The job's turn has ended.
  ///
  /// One that is not kept ends here: nothing of a user hangs on it.
  func release(_ waiter: Waiter) {
    guard let turn = waiter.turn.take(), turn !== line else { return }
    // Safe because a line of keys gives its jobs no other turns.
    release(unsafeDowncast(turn, to: KeyedTurn.self))
  }

  func release(_ turn: KeyedTurn) {
    turn.claim = nil
    turn.caller = nil
    if spares.count < Self.mostSpares { spares.append(turn) }
  }
}
