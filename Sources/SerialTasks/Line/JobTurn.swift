/// The turn of a job that touches keys, as the wait graph sees it; also its place among those that wait for a slot.
///
/// Safe because it adds only what is reached under the lock of the line.
@usableFromInline
package final class JobTurn: WaitNode, @unchecked Sendable {
  /// Safe because a turn is used only while its job runs, and then the call that runs the job holds the line; or by a
  /// ``CycleSearch/Cycle``, which holds the line itself.
  private unowned(unsafe) let line: Line
  @exclusivity(unchecked) package fileprivate(set) var owner: Job?

  fileprivate init(of line: Line) {
    self.line = line
    super.init(generation: .take())
  }

  deinit { TurnGeneration.release(generation) }

  package override var resource: WaitNode { line }

  package override var holder: Job? { line.locked { _ in owner } }

  @usableFromInline package override var job: String? { holder?.name }

  @usableFromInline package override var label: String { line.label(touching: holder) }

  package override var isLimited: Bool { holder?.isLimited ?? false }

  package override var stake: Stake? { line.stake(ofJob: holder) }

  func give(to job: Job) {
    owner = job
    job.turn = self
  }
}

/// The turns of a line that no job has: they are kept for the jobs to come, because to make one takes a lock of all lines.
///
/// Reached only under the lock of the line.
struct TurnPool: ~Copyable, Sendable {
  private var spares: [JobTurn] = []

  private static let mostSpares = 32

  mutating func give(to job: Job, of line: Line) { (spares.popLast() ?? JobTurn(of: line)).give(to: job) }

  /// Keeps the turn, which has ended; one that is not kept ends here: nothing of a user hangs on it.
  mutating func release(_ turn: JobTurn) {
    turn.owner = nil
    if spares.count < Self.mostSpares { spares.append(turn) }
  }
}

/// How many jobs may run at the same time, and those that wait for nothing but that, in the order in which they became ready.
///
/// Safe because all is reached only under the lock of the line.
final class Slots: @unchecked Sendable {
  let count: Int
  @exclusivity(unchecked) var taken = 0
  @exclusivity(unchecked) var waiting = LinkedList<JobTurn>()
  /// The highest priority that has waited, since none did.
  @exclusivity(unchecked) var urgent: UInt8 = 0

  init(_ count: Int) { self.count = count }

  var areTaken: Bool { taken >= count }
}
