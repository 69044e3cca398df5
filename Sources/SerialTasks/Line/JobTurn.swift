/// The turn of a job that touches keys, as the wait graph sees it; also the place of a job among those that wait for a slot, or have one.
///
/// Safe because it adds only what is reached under the lock of the line.
@usableFromInline
package final class JobTurn: WaitNode, @unchecked Sendable {
  /// Safe because a turn is used only while its job runs, and then the call that runs the job holds the line; or by a
  /// ``CycleSearch/Cycle``, which holds the line itself.
  fileprivate unowned(unsafe) let line: Line
  @exclusivity(unchecked) @usableFromInline package fileprivate(set) var owner: Job?
  /// The caller that has it without places, and the number of its key.
  @exclusivity(unchecked) @usableFromInline package var light: LightTurn?
  /// When the first job came to wait behind its job, or when that began, if it is known.
  @exclusivity(unchecked) var firstBehind = WaitStart()

  fileprivate init(of line: Line) {
    self.line = line
    super.init(generation: .take())
  }

  deinit { TurnGeneration.release(generation) }

  package override var resource: WaitNode { line }

  package override var holder: Job? { line.job(of: self) }

  @usableFromInline package override var job: String? { line.jobName(of: self) }

  @usableFromInline package override var label: String { line.label(touching: holder) }

  package override func isWatched() { holder?.isWatched() }

  package override var isLimited: Bool { holder?.isLimited ?? false }

  package override var stake: Stake? { line.stake(ofJob: holder) }
}

/// A caller that found what it wants free, and has its turn without a place: it is given one as soon as a job comes that needs what it has.
@usableFromInline
package struct LightTurn: Sendable {
  package let place: Place
  package let name: String?
  /// The caller's task, which runs the job.
  package let task: TaskReference?
  /// The number of its key in the table of keys.
  @usableFromInline package var number: UInt64 = 0

  /// Returns the job of the caller, which runs.
  func makeJob() -> CallerJob {
    let job = CallerJob(name: name, task: task)
    job.place = place
    return job
  }
}

/// The turns of a line that no job has: they are kept for the jobs to come, because to make one takes a lock of all lines.
///
/// Reached only under the lock of the line.
struct TurnPool: ~Copyable, Sendable {
  private var spares: [JobTurn] = []

  private static let mostSpares = 32

  mutating func take(of line: Line) -> JobTurn { spares.popLast() ?? JobTurn(of: line) }

  /// Keeps the turn, which has ended; one that is not kept ends here: nothing of a user hangs on it.
  mutating func release(_ turn: JobTurn) {
    turn.owner = nil
    turn.light = nil
    if spares.count < Self.mostSpares { spares.append(turn) }
  }
}

extension JobTurn {
  func give(to job: Job) {
    owner = job
    firstBehind = WaitStart()
    job.turn = self
  }
}
