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
package class TypedSubmission<Success: Sendable>: KeptSubmission<Result<Success, any Error>?>, @unchecked Sendable {
  // Safe because it adds nothing.

  @inlinable
  init(_ kind: Waiter.Kind, line: Line, name: String?, priority: TaskPriority) {
    super.init(nil, kind, line: line, name: name, priority: priority)
  }

  @usableFromInline
  package final override func settle(rejected why: JobRejection) {
    releaseJob()
    settle(.failure(JobRejection.untyped(why)))
  }

  /// Releases the closure of a job that will never run, where it is kept.
  func releaseJob() {}

  package final override var end: TaskEvent.Kind { result!.outcome }

  @_alwaysEmitIntoClient
  final func settle(_ result: Result<Success, any Error>) {
    self.result = result
    publish()
  }
}

// MARK: - In a task of its own while it waits

extension TypedSubmission {
  /// Waits for the turn, runs the job in it, and settles: the body of the submitted job's task.
  @_alwaysEmitIntoClient
  nonisolated(nonsending) final func run(_ job: @isolated(any) () async throws -> Success) async {
    // What rejected the job has settled it.
    await line.waitForTurn(ofSubmitted: self)
    if isRejected { return }
    await perform(job)
    // A submitted job is raised through its task, so there is never a pin to wait for.
    _ = line.end(self)
  }

  /// Runs the job in its turn, and settles.
  @_alwaysEmitIntoClient @inline(__always)
  final func perform(
    isolation: isolated (any Actor)? = #isolation, _ job: @isolated(any) () async throws -> Success
  ) async {
    var result: Result<Success, any Error>?
    let marker = if let turn { TurnMarker(node: turn) } else { TurnMarker(node: line) }
    await TurnMarker.key.withValue(marker) {
      _ = isolation  // captured as in `Line.perform`
      TurnMarker.bindAddress()
      do { result = .success(try await job()) } catch { result = .failure(error) }
      marker.end()
    }
    // Reported first, so that a caller that has the result finds the event.
    if line.reports { line.report(result!.outcome, self) }
    settle(result!)
  }
}
