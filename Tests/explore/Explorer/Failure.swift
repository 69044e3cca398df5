/// A broken promise, and all that is needed to see it broken again.
struct Failure: CustomStringConvertible {
  let schedule: Schedule
  let promise: String
  let detail: String
  let trace: Trace
  /// Which of the choices preempt a task, and how many parts the system was drawn from.
  var preemptions: Set<Int> = []
  var parts = 0
  /// How often it was run again to make it small.
  var replays = 0

  private var size: String {
    guard let choices = schedule.choices else { return "" }
    let left = preemptions.intersection(choices.keys).count
    return """
      , made small in \(replays) replays: \(left) preemptions, \(choices.count - left) other choices, \
      \(parts - schedule.dropped.count) of \(parts) parts of the system
      """
  }

  var description: String {
    """

    BROKEN in \(schedule.model.name): \(promise)
      \(detail.isEmpty ? "" : "\(detail)\n  ")seed \(schedule.seed), strategy \(schedule.strategy.rawValue)\(size)
      what happened:
    \(trace)
      again:
      \(schedule.command)

    """
  }
}
