/// A submission and its stored result.
///
/// The parameter is the type of the field: one composed of parameters would be looked up at each release.
@usableFromInline
package class KeptSubmission<Kept>: Submission, @unchecked Sendable {
  // Safe because the code that settles the job writes it once, before `publish` makes it visible under a lock, and it
  // is read only after that.
  @exclusivity(unchecked) @usableFromInline package internal(set) final var result: Kept

  @_alwaysEmitIntoClient init(_ result: Kept, _ kind: Waiter.Kind, line: Line, name: String?, priority: TaskPriority) {
    self.result = result
    super.init(kind, line: line, name: name, priority: priority)
  }
}

@usableFromInline
package class TypedSubmission<Success: Sendable>: KeptSubmission<Result<Success, any Error>?>, @unchecked Sendable {
  // Safe because it adds nothing.

  @_alwaysEmitIntoClient init(_ kind: Waiter.Kind, line: Line, name: String?, priority: TaskPriority) {
    super.init(nil, kind, line: line, name: name, priority: priority)
  }

  @usableFromInline
  package final override func settle(rejected why: JobRejection) {
    releaseJob()
    settle(.failure(JobRejection.untyped(why)))
  }

  func releaseJob() {}

  package final override var end: TaskEvent.Kind { result!.outcome }

  @_alwaysEmitIntoClient
  package final func settle(_ result: Result<Success, any Error>) {
    self.result = result
    publish()
  }
}

extension TypedSubmission {
  @_alwaysEmitIntoClient
  nonisolated(nonsending) final func run(_ job: @isolated(any) () async throws -> Success) async {
    // The code that rejected the job has settled it.
    await line.waitForTurn(ofSubmitted: self)
    if isRejected { return }
    await perform(job)
    // It is raised through its task: there is never a pin to wait for.
    _ = line.end(self)
  }

  @_alwaysEmitIntoClient @inline(__always)
  final func perform(
    isolation: isolated (any Actor)? = #isolation, _ job: @isolated(any) () async throws -> Success
  ) async {
    var result: Result<Success, any Error>?
    // Not retained: the job keeps its turn until it has ended.
    let own = turn.map(Unmanaged.passUnretained)
    let marker = own?._withUnsafeGuaranteedRef { TurnMarker(node: $0) } ?? TurnMarker(node: line)
    await TurnMarker.key.withValue(marker) {
      _ = isolation  // captured as in `Line.perform`
      TurnMarker.bindAddress()
      do { result = .success(try await job()) } catch { result = .failure(error) }
      marker.end()
    }
    // Reported first: a caller with the result must find the event.
    if line.reports { line.report(result!.outcome, self) }
    settle(result!)
  }
}
