/// A submitted job that has no task while it waits: its closure is kept, and a task is found for it when its turn has come.
///
/// What a waiting task costs is memory: more than a kilobyte, against a few hundred bytes here.
@usableFromInline
package class DetachedSubmission<Success: Sendable, Failure: Error>: TypedSubmission<Success, Failure>,
  @unchecked Sendable
{
  /// Safe because it is written once before the job has a place, and then only by what settles it: the task in which it
  /// ran, or the call that rejected it.
  @exclusivity(unchecked) @usableFromInline final var job: (@isolated(any) () async throws -> Success)?
  /// What a task calls that was found for the job.
  ///
  /// It is made where the job's types are known, or the job would run in code that looks them up each time; it captures
  /// nothing.
  @usableFromInline final let running: Body

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
      // Safe because the job throws nothing else.
      do { submission.result = .success(try await job()) } catch { submission.result = .failure(error as! Failure) }
    }
    super.init(.detached, line: line, name: name, priority: priority)
  }

  package final override var body: Body { running }

  final override func releaseJob() { job = nil }
}

/// A detached job that throws errors of one type; a class of its own, for most have no need of what makes such an error.
@usableFromInline
final class TypedDetachedSubmission<Success: Sendable, Failure: Error>: DetachedSubmission<Success, Failure>,
  @unchecked Sendable
{
  // Safe because it adds only what is immutable.
  @usableFromInline let failure: @Sendable (JobRejection) -> Failure

  @inlinable
  init(
    line: Line, name: String?, priority: TaskPriority,
    rejectedAs failure: @escaping @Sendable (JobRejection) -> Failure,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) {
    self.failure = failure
    super.init(line: line, name: name, priority: priority, job)
  }

  @usableFromInline
  override func error(for why: JobRejection) -> Failure { failure(why) }
}
