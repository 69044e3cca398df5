/// A turn that somebody may or may not have a part in.
struct DoubtfulTurn: Sendable {
  let slot: TurnSlot
  let turn: UInt64

  var goesOn: Bool { slot.isGoingOn(turn) }
}

/// Reports a wait that may be a deadlock and that nobody can know to be one.
///
/// It is that of an unstructured task for the very turn in which it was started. If the job awaits the task, both wait for
/// ever; if it does not, all is well.
///
/// Such a wait is never rejected. If neither the turn nor the wait has ended after a while, that is told once. There is no
/// timer unless there is such a wait, and somebody to be told.
package struct StallWatch: Sendable {
  /// What time it is, and how long to wait before anything is told.
  private let time: Time
  private let patience: Duration

  package init(patience: Duration = .seconds(5), clock: some Clock<Duration> = ContinuousClock()) {
    self.patience = patience
    self.time = Time(clock)
  }

  /// The watch of the task that waits; `nil` tells nothing.
  @TaskLocal package static var current: StallWatch? = StallWatch()

  /// Watches a wait that has begun.
  ///
  /// - Parameters:
  ///   - turn: What it may be waiting for itself in.
  ///   - isWaiting: Whether it has not ended.
  ///   - tell: Reports it.
  static func begin(
    _ turn: DoubtfulTurn, isWaiting: @escaping @Sendable () -> Bool, tell: @escaping @Sendable () -> Void
  ) {
    guard let watch = current else { return }
    Task.detached(priority: .utility) {
      try? await watch.time.sleep(until: watch.time.now + watch.patience)
      if turn.goesOn, isWaiting() { tell() }
    }
  }
}
