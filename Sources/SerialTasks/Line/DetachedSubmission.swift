/// A submitted job that has no task while it waits: its closure is kept, and a task is found for it when its turn has come.
///
/// What a waiting task costs is memory: more than a kilobyte, against a few hundred bytes here.
@usableFromInline
package final class DetachedSubmission<Success: Sendable, Failure: Error>: TypedSubmission<Success, Failure>,
  @unchecked Sendable
{
  @usableFromInline typealias Job = @isolated(any) () async throws(Failure) -> Success

  /// Safe because it is written once before the job has a place, and then only by what settles it: the task in which it
  /// ran, or the call that rejected it.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var job: Job?

  /// What a task calls that was found for the job.
  ///
  /// It is made where the job's types are known, or the job would run in code that looks them up each time; it captures nothing.
  @usableFromInline let body: nonisolated(nonsending) @Sendable (Submission) async -> Void

  @inlinable
  init(
    line: Line, name: String?, priority: TaskPriority, rejectedAs failure: (@Sendable (JobRejection) -> Failure)?,
    _ job: sending @escaping Job
  ) {
    self.job = job
    // Safe because a submission calls its own body only.
    body = { await unsafeDowncast($0, to: DetachedSubmission.self).performJob() }
    super.init(line: line, name: name, priority: priority, rejectedAs: failure)
  }

  package override var unstarted: Submission? { self }

  package override nonisolated(nonsending) func perform() async { await body(self) }

  @inlinable
  nonisolated(nonsending) func performJob() async {
    await perform(job!)
    job = nil
  }

  /// The task that was found for it does not wait with it.
  package override func waitAgain() {
    super.waitAgain()
    handle = nil
    awaitsTask = true
  }

  package override func settle(rejected why: JobRejection) {
    job = nil
    super.settle(rejected: why)
  }
}
