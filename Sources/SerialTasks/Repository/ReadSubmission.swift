/// A caller of a read that has a handle in place of a task of its own that waits.
///
/// Safe because it adds only what is immutable, but for `flight`, which is written once, before the handle is given away.
@usableFromInline
final class ReadSubmission<Value: Sendable, Failure: Error>: TaskSubmission<Value, Failure>, @unchecked Sendable {
  @usableFromInline let caller: FlightCaller
  @exclusivity(unchecked) @usableFromInline var flight: ReadFlight?
  private let reading: ClaimLine

  @usableFromInline
  init(
    line: ClaimLine, _ caller: FlightCaller, priority: TaskPriority,
    rejectedAs failure: (@Sendable (JobRejection) -> Failure)?
  ) {
    self.caller = caller
    reading = line
    super.init(line: line, name: caller.name, priority: priority, rejectedAs: failure)
  }

  package override var resourceLabel: String { flight?.label ?? line.label }

  /// The task that waits for the result leaves the read.
  package override func cancel() {
    let task = line.read {
      self.isCancelled = true
      return self.handle
    }
    task?.cancel()
  }

  /// That task was made; the handle may have been cancelled already.
  @usableFromInline
  func know(_ task: Task<Void, Never>) {
    let isCancelled = line.read {
      handle = task
      return self.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  @usableFromInline
  package override func blockers(of observer: Waiter) -> Blockers {
    guard let flight, !isSettled else { return .none }
    return reading.blockers(of: flight, caller)
  }
}

extension Reads {
  /// Takes the place of a read, or joins one, before this returns.
  @inlinable
  func submit<Value: Sendable, Failure: Error>(
    _ key: Key, name: String?, priority: TaskPriority?, rejectedAs failure: (@Sendable (JobRejection) -> Failure)?,
    _ operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
  ) -> SubmittedJob<Value, Failure> {
    let own = TaskPriority.ofTask(priority)
    let caller = FlightCaller(name: name, priority: own.rawValue)
    let submission = ReadSubmission<Value, Failure>(line: line, caller, priority: own, rejectedAs: failure)
    let boarding: Boarding<Value, Failure> = board(StableKey(key), caller, priority: own.rawValue)
    switch boarding {
    case .rejected(let why):
      line.report(.rejected(why), executor: line.label, name, nil)
      submission.settle(rejected: why)
    case .joined(let flight, let task, let escalations):
      line.carryOut(joined: flight, caller, task, escalations)
      follow(flight, submission, priority)
    case .leads(let flight, let arrival):
      line.receive(arrival, of: flight, caller)
      let marker = TurnMarker(taskOf: flight)
      // Not at once: what is submitted never starts inside the call.
      _ = attach(.starting(flight, marker, now: false) { await self.fly(flight, marker, operation) }, to: flight)
      follow(flight, submission, priority)
    }
    return SubmittedJob(submission)
  }

  /// Settles the submission with the outcome of the read, in a task that waits for it.
  @inlinable
  func follow<Value, Failure>(
    _ flight: TypedReadFlight<Value, Failure>, _ submission: ReadSubmission<Value, Failure>, _ priority: TaskPriority?
  ) {
    submission.flight = flight
    submission.know(
      .starting(now: true, name: submission.name, priority: priority) {
        do throws(Failure) {
          submission.settle(
            .success(try await self.result(of: flight, submission.caller, rejectedAs: { submission.error(for: $0) })))
        } catch { submission.settle(.failure(error)) }
      })
  }
}
