extension Reads {
  @_alwaysEmitIntoClient
  func submit<Value: Sendable>(
    _ key: Key, name: String?, priority: TaskPriority?,
    _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) -> SubmittedJob<Value> {
    let submission = SharedSubmission<Value, TypedReadFlight<Value>>(
      line: line, name: name, priority: TaskPriority.ofTask(priority))
    submission.start = WaitStart(at: line.clock.now)
    let boarding: Boarding<Value> = board(
      StableKey(key), submission, ReadTypes(Value.self, (any Error).self), priority: submission.priority
    ) { submission.work = $0 }
    switch boarding {
    case .rejected(let why):
      line.report(.rejected(why), keys: StableKey(key), name, nil)
      submission.settle(rejected: why)
    case .joined(let flight, let effects): line.carryOut(joined: flight, submission, effects)
    case .leads(let flight, let arrival, let effects):
      line.receive(arrival, of: flight, submission, effects)
      let marker = TurnMarker(taskOf: flight)
      // A submitted job never starts inside the call.
      _ = attach(
        .starting(flight, marker, now: false) { await self.fly(flight, marker, operation) }, in: marker, to: flight)
    }
    return SubmittedJob(submission)
  }
}

extension KeptReadFlight: SharedWork {
  @usableFromInline package var standIn: Job { read }

  @usableFromInline
  package func cancel(_ caller: Submission) { line.leave(caller, .cancelled, of: self) }

  @usableFromInline
  package func blockers(of caller: Submission) -> Blockers { line.blockers(of: self, caller) }
}
