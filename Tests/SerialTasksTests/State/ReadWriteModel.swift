/// A line of reads and writes as an array: the model that batches are held against.
///
/// It knows nothing of batches and turns. A job runs if what stands before it lets it.
struct ReadWriteModel {
  /// What can happen; jobs are numbered in the order in which they arrive.
  enum Event: Hashable {
    case read, write
    case begin(Int), finish(Int), leave(Int)
    case pause, resume, close, withdraw
  }

  enum Fate: Hashable { case waiting, granted, revoked, running, ended, rejected }

  let limit: Int?
  let capacity: Int?
  /// Of all jobs that ever came.
  var fates: [Fate] = []
  var reads: Set<Int> = []
  /// Those that have a place, whatever they do there.
  var line: [Int] = []
  var isPaused = false
  var isClosed = false

  var waiting: [Int] { line.filter { fates[$0] == .waiting } }

  func possibleEvents(jobs: Int) -> [Event] {
    var events: [Event] = [isPaused ? .resume : .pause]
    if fates.count < jobs { events += isClosed ? [.read, .write] : [.read, .write, .close] }
    for job in line {
      switch fates[job] {
      case .waiting: events.append(.leave(job))
      case .granted: events += [.begin(job), .leave(job)]
      case .revoked: events.append(.begin(job))
      case .running: events += [.finish(job), .leave(job)]
      case .ended, .rejected: break
      }
    }
    if line.contains(where: { fates[$0] == .waiting || fates[$0] == .granted }) { events.append(.withdraw) }
    return events
  }

  mutating func apply(_ event: Event) {
    switch event {
    case .read: arrive(isRead: true)
    case .write: arrive(isRead: false)
    case .begin(let job): begin(job)
    case .finish(let job): end(job, as: .ended)
    case .leave(let job):
      if fates[job] == .waiting { end(job, as: .rejected) }
      if fates[job] == .granted { fates[job] = .revoked }
    case .pause:
      isPaused = true
      // A write waits again when it would begin.
      for job in line where fates[job] == .granted && reads.contains(job) { fates[job] = .waiting }
    case .resume: isPaused = false
    case .close: isClosed = true
    case .withdraw:
      for job in line where fates[job] == .granted { fates[job] = .revoked }
      for job in waiting { end(job, as: .rejected) }
    }
    settle()
  }

  /// A job that may run at once has no need to wait; one that has to wait needs room to.
  private mutating func arrive(isRead: Bool) {
    let job = fates.count
    let isFull = waiting.count >= capacity ?? .max
    fates.append(.waiting)
    if isRead { reads.insert(job) }
    line.append(job)
    if isClosed || !mayRun(job) && isFull {
      end(job, as: .rejected)
    } else if mayRun(job), !isRead {
      fates[job] = .running
    }
  }

  private mutating func begin(_ job: Int) {
    if fates[job] == .revoked { return end(job, as: .rejected) }
    fates[job] = isPaused ? .waiting : .running
  }

  private mutating func end(_ job: Int, as fate: Fate) {
    line.removeAll { $0 == job }
    fates[job] = fate
  }

  /// A write runs when nothing stands before it.
  ///
  /// A read runs when no write does, nor a read that waits, and there is room.
  private func mayRun(_ job: Int) -> Bool {
    if isPaused { return false }
    let before = line.prefix { $0 != job }
    guard reads.contains(job) else { return before.isEmpty }
    return before.allSatisfy { reads.contains($0) && fates[$0] != .waiting }
      && line.count(where: { reads.contains($0) && fates[$0] != .waiting && $0 != job }) < limit ?? .max
  }

  private mutating func settle() {
    for job in line where fates[job] == .waiting && mayRun(job) { fates[job] = .granted }
  }
}
