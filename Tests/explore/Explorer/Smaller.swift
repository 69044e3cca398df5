/// Makes a failing schedule small: fewer preemptions, then fewer choices, then fewer parts of the system, as long as the same
/// promise is broken.
struct Smaller {
  let runner: Runner
  /// A bound on how often the schedule is run again.
  private static let mostReplays = 3_000
  /// How many schedules are tried for a system from which a part was taken, if its old choices break nothing in it.
  private static let searches = 24
  /// At so many points one preemption is tried.
  private static let mostPoints = 150

  private var best: Failure
  private var replays = 0
  /// How often something was chosen in the best.
  private var points = 0

  private init(_ failure: Failure, _ runner: Runner) { (best, self.runner) = (failure, runner) }

  /// Returns the smallest failure that was found; the same, if it cannot be repeated from its choices.
  static func failure(_ failure: Failure, _ runner: Runner) -> Failure {
    var smaller = Smaller(failure, runner)
    guard smaller.record(failure.schedule) else { return failure }
    var last: Int
    repeat {
      last = smaller.size
      smaller.search()
      smaller.dropChoices(preemptions: true)
      smaller.dropChoices(preemptions: false)
      smaller.dropParts()
    } while smaller.size < last && smaller.replays < Smaller.mostReplays
    smaller.best.replays = smaller.replays
    return smaller.best
  }

  private var size: Int { (best.schedule.choices?.count ?? 0) - best.schedule.dropped.count }

  /// Runs the schedule, and keeps it, with its choices written down, if it breaks the promise and preempts no more than that.
  private mutating func record(_ schedule: Schedule, _ strategy: (any Strategy)? = nil, atMost most: Int = .max) -> Bool
  {
    if replays >= Smaller.mostReplays { return false }
    replays += 1
    let outcome = runner.run(schedule, Recording(of: strategy ?? schedule.makeStrategy()))
    guard let broken = outcome.broken, broken.promise == best.promise, let made = runner.recording,
      made.preemptions.count <= most
    else { return false }
    var small = schedule
    (small.choices, small.path, small.preemptions) = (made.choices, [], 1)
    best = Failure(
      schedule: small, promise: broken.promise, detail: broken.detail, trace: runner.world.trace,
      preemptions: made.preemptions, parts: runner.world.parts)
    points = made.position
    return true
  }

  /// Looks for a schedule of the system with no preemption, or one, or few.
  private mutating func search() {
    let (schedule, before) = (best.schedule, best.preemptions.count)
    if before == 0 { return }
    for seed in 0..<Smaller.searches where record(schedule, RandomStrategy(seed: UInt64(seed), eagerness: 0)) { return }
    if before == 1 { return }
    for point in 0..<min(points, Smaller.mostPoints) {
      for choice in 0..<2 where record(schedule, Replay([point: choice]), atMost: 1) { return }
    }
    for seed in 0..<Smaller.searches
    where record(schedule, RandomStrategy(seed: UInt64(seed), eagerness: 1), atMost: before - 1) { return }
  }

  /// Leaves out halves of the choices, then quarters, down to single ones.
  private mutating func dropChoices(preemptions: Bool) {
    func left(_ failure: Failure) -> [Int] {
      (failure.schedule.choices ?? [:]).keys.filter { failure.preemptions.contains($0) == preemptions }.sorted()
    }
    var length = (left(best).count + 1) / 2
    while length > 0 {
      var start = 0
      while start < left(best).count {
        var schedule = best.schedule
        for position in left(best)[start...].prefix(length) { schedule.choices?[position] = nil }
        if !record(schedule) || left(best).count <= start { start += length }
        if replays >= Smaller.mostReplays { return }
      }
      length /= 2
    }
  }

  private mutating func dropParts() {
    guard best.parts > 0 else { return }
    for part in (1...best.parts).reversed() where !best.schedule.dropped.contains(part) {
      var schedule = best.schedule
      schedule.dropped.insert(part)
      if record(schedule) { continue }
      for seed in 0..<Smaller.searches where record(schedule, RandomStrategy(seed: UInt64(seed))) { break }
    }
  }
}
