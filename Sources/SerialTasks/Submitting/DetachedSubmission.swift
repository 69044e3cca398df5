// Submitted jobs that have no task while they wait: their closure is kept, and a task is found for them when their turn has come.
//
// What a waiting task costs is memory: more than a kilobyte, against a few hundred bytes here.

/// A detached job that throws errors of any type.
///
/// A class of its own, because a closure with untyped errors is wrapped, and so allocated, to become one whose error is a
/// parameter.
@usableFromInline
package final class UntypedDetachedSubmission<Success: Sendable>: TypedSubmission<Success, any Error>,
  @unchecked Sendable
{
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
      let submission = unsafeDowncast(submission, to: UntypedDetachedSubmission.self)
      let job = submission.job.take()!
      do { submission.result = .success(try await job()) } catch { submission.result = .failure(error) }
    }
    super.init(.detached, line: line, name: name, priority: priority)
  }

  package override var body: Body { running }

  override func releaseJob() { job = nil }
}

/// A detached job that throws errors of one type.
@usableFromInline
package final class TypedDetachedSubmission<Success: Sendable, Failure: Error>: TaskSubmission<Success, Failure>,
  @unchecked Sendable
{
  /// Safe like that of ``UntypedDetachedSubmission``.
  @exclusivity(unchecked) @usableFromInline var job: (@isolated(any) () async throws(Failure) -> Success)?
  /// As that of ``UntypedDetachedSubmission``.
  @usableFromInline let running: Body

  @inlinable
  init(
    line: Line, name: String?, priority: TaskPriority,
    rejectedAs failure: @escaping @Sendable (JobRejection) -> Failure,
    _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) {
    self.job = job
    running = { submission in
      // Safe as above.
      let submission = unsafeDowncast(submission, to: TypedDetachedSubmission.self)
      let job = submission.job.take()!
      do throws(Failure) {
        submission.result = .success(try await job())
      } catch {
        submission.result = .failure(error)
      }
    }
    super.init(.detached, line: line, name: name, priority: priority, rejectedAs: failure)
  }

  package override var body: Body { running }

  override func releaseJob() { job = nil }
}
