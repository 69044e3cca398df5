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
  @usableFromInline let running: Body

  @inlinable
  init(
    line: Line, name: String?, priority: TaskPriority, rejectedAs failure: (@Sendable (JobRejection) -> Failure)?,
    _ job: sending @escaping Job
  ) {
    self.job = job
    // Safe because a submission calls its own body only.
    running = { await unsafeDowncast($0, to: DetachedSubmission.self).runJob() }
    super.init(line: line, name: name, priority: priority, rejectedAs: failure)
  }

  package override var unstarted: Submission? { self }

  package override var body: Body { running }

  package override var end: TaskEvent.Kind { result!.outcome }

  @inlinable
  nonisolated(nonsending) func runJob() async {
    let job = job.take()!
    do throws(Failure) { result = .success(try await job()) } catch { result = .failure(error) }
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
