/// How many jobs may run at the same time, and who waits for that.
///
/// A job that needs a slot is given a turn as soon as it has all its places, and is linked by that.
///
/// Safe because all is reached only under the lock of the line.
final class Slots: @unchecked Sendable {
  let count: Int
  /// The turns of jobs that wait for nothing else, in the order in which they became ready.
  @exclusivity(unchecked) var waiting = LinkedList<JobTurn>()
  @exclusivity(unchecked) private var holders = LinkedList<JobTurn>()
  /// The job that has a slot and the turn of the line itself: a caller that found the line free.
  @exclusivity(unchecked) private var light: Job?
  /// What all jobs that have a slot have been raised to, at least.
  @exclusivity(unchecked) var floor: UInt8 = .max
  /// The first job that came to wait for a slot in this very step, and has not raised those before it yet.
  @exclusivity(unchecked) var newlyReady: ObjectIdentifier?

  init(_ count: Int) { self.count = count }

  var taken: Int { holders.count + (light == nil ? 0 : 1) }

  var areTaken: Bool { taken >= count }

  func take(for job: Job) {
    if let turn = job.turn { holders.append(turn) } else { light = job }
    floor = min(floor, job.raisedTo)
    job.notes.insert(.hasSlot)
  }

  func release(by job: Job) {
    if let turn = job.turn { holders.remove(turn) } else { light = nil }
    if taken == 0 { floor = .max }
    job.notes.remove(.hasSlot)
  }

  func forEachHolder(_ body: (Job) -> Void) {
    if let light { body(light) }
    holders.forEach { body($0.owner!) }
  }
}
