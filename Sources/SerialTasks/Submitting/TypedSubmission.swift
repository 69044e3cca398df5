/// A submission and where its result is kept.
///
/// The type of the field is a parameter by itself. If it were made of parameters it would be looked up whenever a submission is
/// released, which takes as long as three locks.
@usableFromInline
package class KeptSubmission<Kept>: Submission, @unchecked Sendable {
  // Safe because the line decides once what becomes of a waiter, and what carries that out writes here once, before
  // `publish` makes it visible under a lock, and it is read only after that.
  @exclusivity(unchecked) @usableFromInline final var result: Kept

  @inlinable
  init(_ result: Kept, _ kind: Waiter.Kind, line: Line, name: String?, priority: TaskPriority) {
    self.result = result
    super.init(kind, line: line, name: name, priority: priority)
  }
}

/// A submission and its result.
@usableFromInline
package class TypedSubmission<Success: Sendable, Failure: Error>: KeptSubmission<Result<Success, Failure>?>,
  @unchecked Sendable
{
  // Safe because it adds nothing.

  @inlinable
  init(_ kind: Waiter.Kind, line: Line, name: String?, priority: TaskPriority) {
    super.init(nil, kind, line: line, name: name, priority: priority)
  }

  @usableFromInline
  package final override func settle(rejected why: JobRejection) {
    releaseJob()
    settle(.failure(error(for: why)))
  }

  /// Releases the closure of a job that will never run, where it is kept.
  func releaseJob() {}

  package final override var end: TaskEvent.Kind { result!.outcome }

  /// Returns the error for tasks that wait for a rejected job, or that stop waiting.
  @usableFromInline
  func error(for why: JobRejection) -> Failure {
    // Safe because submissions with errors of one type override this.
    JobRejection.untyped(why) as! Failure
  }

  @inlinable
  final func settle(_ result: Result<Success, Failure>) {
    self.result = result
    publish()
  }
}

/// A submission that knows how to make the error of a rejected job, and how to run one that has a task of its own while it waits.
@usableFromInline
package class TaskSubmission<Success: Sendable, Failure: Error>: TypedSubmission<Success, Failure>,
  @unchecked Sendable
{
  // Safe because it adds only what is immutable.

  /// Makes the error of a rejected job; `nil` if any will do, which saves each such job a closure.
  @usableFromInline final let failure: (@Sendable (JobRejection) -> Failure)?

  @inlinable
  init(
    line: Line, name: String?, priority: TaskPriority,
    rejectedAs failure: (@Sendable (JobRejection) -> Failure)?
  ) {
    self.failure = failure
    super.init(.submitted, line: line, name: name, priority: priority)
  }

  @usableFromInline
  final override func error(for why: JobRejection) -> Failure { failure?(why) ?? super.error(for: why) }

  /// Waits for the turn, runs the job in it, and settles: the body of the submitted job's task.
  @inlinable
  nonisolated(nonsending) final func run(_ job: @isolated(any) () async throws -> Success) async {
    // What rejected the job has settled it.
    await line.waitForTurn(ofSubmitted: self)
    if isRejected { return }
    await perform(job)
    // A submitted job is raised through its task, so there is never a pin to wait for.
    _ = line.finish(self)
  }

  /// Runs the job in its turn, and settles.
  @inlinable @inline(__always)
  final func perform(
    isolation: isolated (any Actor)? = #isolation, _ job: @isolated(any) () async throws -> Success
  ) async {
    var result: Result<Success, Failure>?
    let marker = if let turn { TurnMarker(node: turn) } else { TurnMarker(node: line) }
    await TurnMarker.key.withValue(marker) {
      _ = isolation  // captured as in `Line.perform`
      TurnMarker.bindAddress()
      // Safe because the job throws nothing else.
      do { result = .success(try await job()) } catch { result = .failure(error as! Failure) }
      marker.end()
    }
    // Reported first, so that a caller that has the result finds the event.
    if line.reports { line.report(result!.outcome, self) }
    settle(result!)
  }
}

extension Result where Failure == any Error {
  /// Returns it with the type of the errors that the job throws.
  ///
  /// Jobs are kept as closures with untyped errors. To become one whose error is a parameter, such a closure would be wrapped, and
  /// so allocated, and called in two frames more.
  ///
  /// Safe because the closure that was kept throws nothing else.
  @inlinable
  func typed<Thrown: Error>(as _: Thrown.Type = Thrown.self) -> Result<Success, Thrown> { mapError { $0 as! Thrown } }
}
