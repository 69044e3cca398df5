/// A submitted job that has no task while it waits: its closure is kept, and a task is found for it when its turn has come.
///
/// What a waiting task costs is memory: more than a kilobyte, against a few hundred bytes here.
@usableFromInline
package final class DetachedSubmission<Success: Sendable, Failure: Error>: TypedSubmission<Success, Failure>,
  @unchecked Sendable
{
  @usableFromInline typealias Job = @isolated(any) () async throws(Failure) -> Success

  /// Safe because it is written once before the job has a place, and then only by whoever settles it: the task in which it
  /// ran, or whoever turned it away.
  @usableFromInline nonisolated(unsafe) var job: Job?
  /// Whether it was turned away before it had its turn, so that it never gets a task; guarded by the line.
  private var neverStarts = false

  @usableFromInline
  init(
    line: Line, lender: (any LineLender)?, name: String?, priority: TaskPriority,
    rejectedAs failure: (@Sendable (JobRejection) -> Failure)?, _ job: sending @escaping Job
  ) {
    self.job = job
    super.init(line: line, lender: lender, name: name, priority: priority, rejectedAs: failure)
  }

  package override var starting: Submission? { self }

  package override func perform() async {
    await perform(job!)
    job = nil
  }

  /// The task that was found for it does not wait with it.
  package override func waitAgain() {
    super.waitAgain()
    handle = nil
    awaitsTask = true
  }

  package override func reject(_ why: JobRejection) {
    super.reject(why)
    neverStarts = true
  }

  package override func settle(rejected why: JobRejection) {
    job = nil
    super.settle(rejected: why)
    // There is no task that would do it.
    if line.state.withLock({ _ in neverStarts }) { leave() }
  }
}
