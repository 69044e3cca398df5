/// A broken promise, and all that is needed to see it broken again.
struct Failure: CustomStringConvertible {
  let schedule: Schedule
  let promise: String
  let detail: String
  let trace: Trace

  var description: String {
    """

    BROKEN in \(schedule.model.name): \(promise)
      \(detail.isEmpty ? "" : "\(detail)\n  ")seed \(schedule.seed), strategy \(schedule.strategy.rawValue)
      what happened:
    \(trace)
      again:
      \(schedule.command)

    """
  }
}
