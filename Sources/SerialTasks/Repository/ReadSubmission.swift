/// A submitted read: a caller of its read, with a handle in place of a task that waits.
///
/// What decides about the read settles the handle in the same step: the end of the read, a withdrawal, or `cancel()`.
///
/// Safe because `flight` is written once, under the lock of the line, before the read can end or the handle is given away.
@usableFromInline
final class ReadSubmission<Value: Sendable>: TypedSubmission<Value>, @unchecked Sendable {
  /// The read that it has led or joined; `nil` if it was rejected when it came.
  @exclusivity(unchecked) @usableFromInline var flight: TypedReadFlight<Value>?

  @inlinable
  init(line: Line, name: String?, priority: TaskPriority) {
    super.init(.submitted, line: line, name: name, priority: priority)
  }

  @usableFromInline
  package override var standIn: Job { flight?.read ?? self }

  package override var stakeOfEnd: Stake? { flight?.stake }

  @usableFromInline
  package override func cancel() { if let flight { flight.line.cancel(self, of: flight) } }

  @usableFromInline
  package override func blockersOfEnd() -> Blockers { flight.map { $0.line.blockers(of: $0, self) } ?? .none }

  @usableFromInline
  package override func settleWithRead() { settle(flight!.result!) }
}

extension Reads {
  /// Takes the place of a read, or joins one, before this returns.
  @_alwaysEmitIntoClient
  func submit<Value: Sendable>(
    _ key: Key, name: String?, priority: TaskPriority?,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> SubmittedJob<Value> {
    let submission = ReadSubmission<Value>(line: line, name: name, priority: TaskPriority.ofTask(priority))
    submission.start = WaitStart(at: line.clock.now)
    let boarding: Boarding<Value> = board(
      StableKey(key), submission, ReadTypes(Value.self, (any Error).self), priority: submission.priority
    ) { submission.flight = $0 }
    switch boarding {
    case .rejected(let why):
      line.report(.rejected(why), keys: StableKey(key), name, nil)
      submission.settle(rejected: why)
    case .joined(let flight, let effects): line.carryOut(joined: flight, submission, effects)
    case .leads(let flight, let arrival, let effects):
      line.receive(arrival, of: flight, submission, effects)
      let marker = TurnMarker(taskOf: flight)
      // Not at once: what is submitted never starts inside the call.
      _ = attach(.starting(flight, marker, now: false) { await self.fly(flight, marker, operation) }, to: flight)
    }
    return SubmittedJob(submission)
  }
}
