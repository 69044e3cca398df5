/// A submitted job that has no task while it waits: its closure is kept, and a task is found for it when its turn has come.
///
/// What a waiting task costs is memory: more than a kilobyte, against a few hundred bytes here.
@usableFromInline
package class DetachedSubmission<Success: Sendable, Failure: Error>: TypedSubmission<Success, Failure>,
  @unchecked Sendable
{
  // Safe because it adds only what is immutable.

  /// What a task calls that was found for the job.
  ///
  /// It is made where the job's types are known, or the job would run in code that looks them up each time; it captures
  /// nothing.
  @usableFromInline final let running: Body

  @inlinable
  init(
    line: Line, name: String?, priority: TaskPriority, running: @escaping Body
  ) {
    self.running = running
    super.init(.detached, line: line, name: name, priority: priority)
  }

  package override final var body: Body { running }

  package override final var end: TaskEvent.Kind { result!.outcome }

  /// Puts it back without the task that was found for it, which does not wait with it.
  package override final func waitAgain() {
    super.waitAgain()
    handle = nil
    awaitsTask = true
  }

  package override final func settle(rejected why: JobRejection) {
    releaseJob()
    super.settle(rejected: why)
  }

  /// Releases the closure of a job that will never run.
  func releaseJob() { preconditionFailure("abstract") }
}

/// A detached job that throws errors of any type.
///
/// A class of its own, because a closure with untyped errors is wrapped, and so allocated, to become one whose error is a
/// parameter.
@usableFromInline
package final class UntypedDetachedSubmission<Success: Sendable>: DetachedSubmission<Success, any Error>,
  @unchecked Sendable
{
  /// Safe because it is written once before the job has a place, and then only by what settles it: the task in which it
  /// ran, or the call that rejected it.
  @exclusivity(unchecked) @usableFromInline var job: (@isolated(any) () async throws -> Success)?

  @inlinable
  package init(
    line: Line, name: String?, priority: TaskPriority,
    _ job: sending @escaping @isolated(any) () async throws -> Success
  ) {
    self.job = job
    super.init(line: line, name: name, priority: priority) { submission in
      // Safe because a submission calls its own body only.
      let submission = unsafeDowncast(submission, to: UntypedDetachedSubmission.self)
      let job = submission.job.take()!
      do { submission.result = .success(try await job()) } catch { submission.result = .failure(error) }
    }
  }

  override func releaseJob() { job = nil }
}

/// A detached job that throws errors of one type.
@usableFromInline
package final class TypedDetachedSubmission<Success: Sendable, Failure: Error>: DetachedSubmission<Success, Failure>,
  @unchecked Sendable
{
  /// Safe like that of ``UntypedDetachedSubmission``.
  @exclusivity(unchecked) @usableFromInline var job: (@isolated(any) () async throws(Failure) -> Success)?
  /// Makes the error of a rejected job.
  @usableFromInline let failure: @Sendable (JobRejection) -> Failure

  @inlinable
  init(
    line: Line, name: String?, priority: TaskPriority,
    rejectedAs failure: @escaping @Sendable (JobRejection) -> Failure,
    _ job: sending @escaping @isolated(any) () async throws(Failure) -> Success
  ) {
    self.job = job
    self.failure = failure
    super.init(line: line, name: name, priority: priority) { submission in
      // Safe as above.
      let submission = unsafeDowncast(submission, to: TypedDetachedSubmission.self)
      let job = submission.job.take()!
      do throws(Failure) {
        submission.result = .success(try await job())
      } catch {
        submission.result = .failure(error)
      }
    }
  }

  @usableFromInline
  override func error(for why: JobRejection) -> Failure { failure(why) }

  override func releaseJob() { job = nil }
}
