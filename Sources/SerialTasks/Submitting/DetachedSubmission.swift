/// A submitted job that has no task while it waits: its closure is kept, and a task is found for it when its turn has come.
///
/// What a waiting task costs is memory: more than a kilobyte, against a few hundred bytes here.
@usableFromInline
package final class DetachedSubmission<Success: Sendable>: TypedSubmission<Success>, @unchecked Sendable {
  /// Safe because it is written once before the job has a place, and then only by what settles it: the task in which it
  /// ran, or the call that rejected it.
  @exclusivity(unchecked) @usableFromInline var job: (@isolated(any) () async throws -> Success)?
  /// What a task calls that was found for the job.
  ///
  /// It is made where the job's types are known, or the job would run in code that looks them up each time; it captures
  /// nothing.
  @usableFromInline let running: Body

  @inlinable
  package init(
    line: Line, name: String?, priority: TaskPriority,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) {
    self.job = job
    running = { submission in
      // Safe because a submission calls its own body only.
      let submission = unsafeDowncast(submission, to: DetachedSubmission.self)
      let job = submission.job.take()!
      do { submission.result = .success(try await job()) } catch { submission.result = .failure(error) }
    }
    super.init(.detached, line: line, name: name, priority: priority)
  }

  package override var body: Body { running }

  override func releaseJob() { job = nil }
}
