import Testing

@testable import SerialTasks

/// A detached job ends, and the next one runs in the same task: the short way must do what the long one does.
///
/// Fails if: a job runs in the task of one that differs from it or was cancelled, or of a paused line, is granted the turn without
/// beginning, or is not the first that waits, or if the task is lost or kept by the job that has ended.
@Suite(.watched) struct HandOnTests {
  struct Case: CustomTestStringConvertible {
    var isPaused = false
    var isCancelled = false
    /// How many more jobs wait.
    var others = 0
    var next: Next? = .same

    enum Next: CaseIterable { case same, hasTask, otherName, otherPriority }

    var mayHandOn: Bool { !isPaused && !isCancelled && next == .same }
    var testDescription: String { "\(next.map { "\($0)" } ?? "none"), \(isPaused), \(isCancelled), \(others)" }

    static var all: [Case] {
      var all: [Case] = []
      for isPaused in [false, true] {
        for isCancelled in [false, true] {
          for others in 0...2 {
            for next in Next.allCases {
              all.append(Case(isPaused: isPaused, isCancelled: isCancelled, others: others, next: next))
            }
          }
          all.append(Case(isPaused: isPaused, isCancelled: isCancelled, next: nil))
        }
      }
      return all
    }
  }

  private let line = Line(name: nil, type: .serialTaskExecutor, clock: AnyClock(ContinuousClock()))

  private func detached(_ name: String? = nil, _ priority: TaskPriority = .medium) -> Submission {
    DetachedSubmission<Void>(line: line, name: name, priority: priority) {}
  }

  private func waiter(_ next: Case.Next) -> Job {
    switch next {
    case .same: return detached()
    case .hasTask: return Job(.submitted, priority: TaskPriority.medium.rawValue)
    case .otherName: return detached("other")
    case .otherPriority: return detached(nil, .low)
    }
  }

  @Test(arguments: Case.all) func theShortWayDoesWhatTheLongOneDoes(_ given: Case) {
    var state = LineState.alone()
    let (job, next) = (detached(), given.next.map { waiter($0) })
    _ = state.join(job)
    _ = state.begin(job)
    let task = Task<Void, Never> {}
    job.handle = task
    job.awaitsTask = false
    job.isCancelled = given.isCancelled
    if let next { _ = state.join(next) }
    for _ in 0..<given.others { _ = state.join(detached()) }
    if given.isPaused { state.pause() }

    let found = state.handOn(from: job)
    #expect((found != nil) == given.mayHandOn)
    if let found {
      #expect(found === next)
      #expect(found.state == .running)
      #expect(found.handle == task)
      #expect(!found.awaitsTask)
      #expect(job.handle == nil)
    } else {
      #expect(job.handle == task)
      #expect(next.map { $0.state == .waiting } ?? true)
    }
    let (holder, waiting) = (state.holder, state.waiting)
    #expect(holder === (found ?? job))
    #expect(waiting == given.others + (next == nil || found != nil ? 0 : 1))
    state.checkInvariants()
  }

  /// The long way finds that the next job may go on after all: another task has looked since the short way did.
  ///
  /// Fails if: that job is granted the turn without beginning, so that it could still be rejected while it runs.
  @Test func theLongWayBeginsTheJob() {
    let (job, next) = (detached(), detached())
    let task = Task<Void, Never> {}
    line.locked { state in
      _ = state.join(job)
      _ = state.begin(job)
      job.handle = task
      job.awaitsTask = false
      _ = state.join(next)
    }
    #expect(line.finish(job, mayGoOn: true) === next)
    #expect(next.state == .running && next.handle == task && !next.awaitsTask && job.handle == nil)
  }
}
