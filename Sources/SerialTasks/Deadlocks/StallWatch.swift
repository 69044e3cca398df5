/// A turn that the running code may or may not be a part of.
struct DoubtfulTurn: Sendable {
  let generation: TurnGeneration
  let turn: UInt64

  var goesOn: Bool { generation.isGoingOn(turn) }
}

/// Reports a wait that may be a deadlock, where that cannot be known.
///
/// It is that of an unstructured task for the very turn in which it was started. If the job awaits the task, both wait for
/// ever; if it does not, all is well.
///
/// Such a wait is never rejected. If neither the turn nor the wait has ended after a while, that is told once. There is no
/// timer unless there is such a wait, and an `onEvent` to report it to.
package struct StallWatch: Sendable {
  /// What takes the place of the patience and the clock of every executor.
  private let instead: (patience: Duration, time: AnyClock)?

  /// The watch of tests, which has a patience and a clock of its own.
  package init(patience: Duration, clock: some Clock<Duration>) { instead = (patience, AnyClock(clock)) }

  private init() { instead = nil }

  /// The watch of the task that waits; `nil` tells nothing.
  @TaskLocal package static var current: StallWatch? = StallWatch()

  /// Watches a wait that has begun, if its task was started in the very turn that it waits for.
  ///
  /// - Parameters:
  ///   - patience: How long the wait may last; `nil` watches nothing.
  ///   - clock: Measures that.
  ///   - blockers: Whom it waits for.
  ///   - isWaiting: Whether it has not ended.
  ///   - name: The job that has this turn.
  ///   - tell: Makes what reports it, later and in another task; called at once, and only if there is something to watch.
  static func begin(
    patience: Duration?, clock: AnyClock, blockers: () -> Blockers, isWaiting: @escaping @Sendable () -> Bool,
    name: (WaitNode) -> String?, tell: () -> @Sendable (TaskEvent.Kind) -> Void
  ) {
    guard let turn = TurnMarker.doubtful, let watch = current,
      let (patience, time) = watch.instead ?? patience.map({ ($0, clock) }),
      let node = blockers().all.first(where: { $0.generation == turn.generation })
    else { return }
    let (stalled, tell) = (TaskEvent.Kind.stalled(behind: name(node)), tell())
    Task.detached(priority: .utility) {
      try? await time.sleep(until: time.now + patience)
      if turn.goesOn, isWaiting() { tell(stalled) }
    }
  }
}
