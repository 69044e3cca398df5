import Testing

@testable import SerialTasks

/// How much of a line a search for a deadlock looks at, without a clock.
///
/// Fails if: the search asks each of the jobs that are ahead.
@Suite(.watched) struct SearchLengthTests {
  /// Counts how often it is asked whether it leaves by itself, which a search asks each job that it passes.
  private final class AskedJob: Job, @unchecked Sendable {
    // Safe because one test uses it, without tasks; `@unchecked` is inherited from `Job`.

    var asked = 0

    override var leavesByItself: Bool {
      asked += 1
      return super.leavesByItself
    }
  }

  /// The line is paused, or its first job runs.
  @Test(arguments: [false, true]) func aSearchDoesNotPassAllThatAreAhead(isPaused: Bool) {
    var state = LineState.alone()
    if isPaused { state.pause() }
    let jobs = (0..<1_000).map { _ in AskedJob() }
    for job in jobs { _ = state.join(job) }
    let blockers = state.blockers(of: jobs.last!)
    #expect(blockers.all.count == (isPaused ? 0 : 1))
    #expect(jobs.reduce(0) { $0 + $1.asked } < 10)
  }
}
