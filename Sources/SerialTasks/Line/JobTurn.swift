/// The turn of a job with keys, as a node of the wait graph; also its place among the jobs that wait for a slot.
///
/// Safe because it adds only what is accessed under the lock of the line.
@usableFromInline
package final class JobTurn: WaitNode, @unchecked Sendable {
  /// Safe because a turn is used only while its job runs, whose call retains the line; or by a ``CycleSearch/Cycle``,
  /// which retains it itself.
  private unowned(unsafe) let line: Line
  /// Safe because its job gives the turn back before that is released.
  @exclusivity(unchecked) unowned(unsafe) package fileprivate(set) var owner: Job?

  fileprivate init(of line: Line) {
    self.line = line
    super.init(generation: .take())
  }

  deinit { TurnGeneration.release(generation) }

  package override var resource: WaitNode { line }

  package override var holder: Job? { line.locked { _ in owner } }

  @usableFromInline package override var job: String? { holder?.name }

  @usableFromInline package override var label: String { line.label(touching: holder) }

  override var isLimited: Bool { holder?.isLimited ?? false }

  package override var stake: Stake? { line.stake(ofJob: holder) }

  static func give(_ turn: consuming JobTurn, to job: Job) {
    turn.owner = job
    job.turn = turn
  }
}

/// Unused turns, kept because creating one takes a global lock; accessed under the lock of their line.
struct TurnPool: ~Copyable, Sendable {
  /// The last that was released, which is mostly handed over at once.
  private var latest: JobTurn?
  private var spares: [JobTurn] = []

  private static let mostSpares = 32

  mutating func give(to job: Job, of line: @autoclosure () -> Line) {
    JobTurn.give(latest.take() ?? spares.popLast() ?? JobTurn(of: line()), to: job)
  }

  /// Stores or releases an ended turn, which runs no foreign code.
  mutating func release(_ turn: consuming JobTurn) {
    turn.owner = nil
    if let older = latest.take(), spares.count < Self.mostSpares { spares.append(older) }
    latest = turn
  }
}

/// The number of slots, and the jobs that wait only for one, in the order in which they became ready; safe because
/// the line's lock protects everything.
final class Slots {
  let count: Int
  @exclusivity(unchecked) var taken = 0
  @exclusivity(unchecked) var waiting = LinkedList<JobTurn>()
  /// The highest priority that has waited since the queue was empty.
  @exclusivity(unchecked) var urgent: UInt8 = 0

  init(_ count: Int) { self.count = count }

  var areTaken: Bool { taken >= count }
}
