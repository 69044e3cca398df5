/// A submitted job without a task while it waits, which stores its closure.
@usableFromInline
package final class DetachedSubmission<Success: Sendable>: TypedSubmission<Success>, @unchecked Sendable {
  /// Safe because only what settles the job uses it after its arrival: its task, or the call that rejected it.
  @exclusivity(unchecked) @usableFromInline var job: (@isolated(any) () async throws -> Success)?
  /// Created where the job's types are known, to save looking them up each time.
  @usableFromInline let running: Body

  @_alwaysEmitIntoClient
  package init(
    line: Line, name: String?, priority: TaskPriority,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) {
    self.job = job
    running = { submission in
      // Safe because a submission calls only its own body; a check takes 37 instructions of the 5 400 of such a job.
      let submission = unsafeDowncast(submission, to: DetachedSubmission.self)
      let job = submission.job.take()!
      do { submission.result = .success(try await job()) } catch { submission.result = .failure(error) }
    }
    super.init(.detached, line: line, name: name, priority: priority)
  }

  override var body: Body { running }

  override func releaseJob() { job = nil }
}
