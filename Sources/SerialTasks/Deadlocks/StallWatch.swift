/// A turn that the running code may or may not be a part of.
struct DoubtfulTurn: Sendable {
  let generation: TurnGeneration
  let turn: UInt64

  var goesOn: Bool { generation.isGoingOn(turn) }
}

/// How long a wait may last that may be a deadlock, and what measures that.
@usableFromInline
struct StallPatience: Sendable {
  let patience: Duration
  let limits: TimeLimits

  /// Nothing, if no wait is to be watched.
  init?(_ patience: Duration?, limits: TimeLimits?) {
    guard let patience, let limits else { return nil }
    (self.patience, self.limits) = (patience, limits)
  }
}

/// Reports a wait that may be a deadlock, where that cannot be known.
///
/// It is that of an unstructured task for the very turn in which it was started. If the job awaits the task, both wait for
/// ever; if it does not, all is well.
///
/// Such a wait is never rejected. If neither the turn nor the wait has ended after a while, that is reported once. There is no
/// timer unless there is such a wait, and an `onEvent` to report it to. The timer ends with the wait.
package struct StallWatch: Sendable {
  /// What takes the place of the patience of every executor.
  private let instead: StallPatience?

  /// The watch of tests, which has a patience and a clock of its own.
  package init(patience: Duration, clock: some Clock<Duration>) {
    instead = StallPatience(patience, limits: TimeLimits(clock: AnyClock(clock)))
  }

  private init() { instead = nil }

  /// The watch of the task that waits; `nil` reports nothing.
  @TaskLocal package static var current: StallWatch? = StallWatch()

  /// Watches a wait that is about to begin, if its task was started in the very turn that it waits for.
  ///
  /// - Parameters:
  ///   - own: The patience of the executor; `nil` watches nothing.
  ///   - blockers: Asks what the wait waits for.
  ///   - isWaiting: Asks whether it has not ended.
  ///   - tell: Makes what reports it, later and in another task; called at once, and only if there is something to watch.
  /// - Returns: The timer, which is to be ended with the wait.
  static func begin(
    _ own: @autoclosure () -> StallPatience?, blockers: () -> Blockers, isWaiting: @escaping @Sendable () -> Bool,
    tell: () -> @Sendable (TaskEvent.Kind) -> Void
  ) -> TimeLimit? {
    guard let turn = TurnMarker.doubtful, let watch = current, let stall = watch.instead ?? own(),
      let node = blockers().all.first(where: { $0.generation == turn.generation })
    else { return nil }
    let (stalled, tell) = (TaskEvent.Kind.stalled(behind: node.job), tell())
    return stall.limits.start(stall.patience) { if turn.goesOn, isWaiting() { tell(stalled) } }
  }
}
