/// What is told, while a test watches, of each call that asks for something.
///
/// Who watches (`potentialDeadlocks` of SerialTasksTesting) marks the tasks that it watches: with a bit of their ``TurnMarker``,
/// which every turn, child and task that is started there inherits. So a call that holds no turn and is not watched does nothing
/// for it, and one that holds a turn looks at that bit.
///
/// It is told outside of every lock, in the task of the call.
package protocol OrderWatch: AnyObject, Sendable {
  func note(_ request: OrderRequest)
}

/// A call that has asked for something, and what its task held then.
package struct OrderRequest: Sendable {
  /// A turn that the task certainly holds.
  package struct Held: Sendable {
    package let stake: Stake
    /// The name of its job.
    package let job: String?
    /// Which turn it is: that of a generation, and its number there.
    package let generation: UInt
    package let turn: UInt64
  }

  /// The innermost first.
  package let held: [Held]
  package let wanted: Stake
  /// The name of the job that the call is about.
  package let job: String?
  /// Which task it is, while it runs: one that comes later may have the same number.
  package let task: Int
  /// Whether no watch is known to own it: it is of a detached job, which inherits nothing, while several watch.
  package let isAmbiguous: Bool
}

/// Those who watch.
package enum OrderWatches {
  /// The bit of a marker that says that its tasks are watched.
  static var watched: UInt32 { 1 << 31 }
  /// The bit of the marker of a detached job: all who watch see it.
  ///
  /// The other is above it, so that one comparison asks for both.
  static var detached: UInt32 { 1 << 30 }

  /// Those that watch the current task.
  @TaskLocal static var current: [any OrderWatch] = []
  /// All of them, to which it is told what detached jobs do, which inherit nothing.
  private static let all = Lock<[any OrderWatch]>([])

  /// Runs the body, and tells the watch what its tasks ask for.
  package static func run<Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ watch: any OrderWatch,
    _ body: nonisolated(nonsending) () async throws(Failure) -> Void
  ) async throws(Failure) {
    begin(watch)
    var thrown: Failure?
    // Where no turn is held, the marker is not bound, and so is that of no turn.
    let isInside = HeldTurn.innermost != nil
    // It marks the place, and is no turn of anything.
    let watched = WaitNode(generation: .take())
    let marker = TurnMarker(watching: watched)
    await TurnMarker.key.withValue(marker) {
      _ = isolation
      if isInside { TurnMarker.bindAddress() }
      await $current.withValue(current + [watch]) {
        _ = isolation
        do throws(Failure) { try await body() } catch { thrown = error }
      }
      marker.end()
    }
    end(watch, watched)
    if let thrown { throw thrown }
  }

  @inline(never)
  private static func begin(_ watch: any OrderWatch) { all.withLock { $0.append(watch) } }

  @inline(never)
  private static func end(_ watch: any OrderWatch, _ watched: WaitNode) {
    TurnGeneration.release(watched.generation)
    // Released after the unlock.
    _ = all.withLock { all in all.firstIndex { $0 === watch }.map { all.remove(at: $0) } }
  }

  /// Notes that a turn of the node is about to begin in the current task, which is watched.
  @inline(never)
  static func begins(_ node: WaitNode, in held: HeldTurn?) {
    node.isWatched()
    tell(holding: held) { (node.isLimited ? nil : node.stake, node.job) }
  }

  /// Notes that a call that holds this turn asks for something; to be called only if that is watched.
  static func tell(holding held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) {
    let own = current
    let watches = own.isEmpty ? all.withLock { $0 } : own
    if watches.isEmpty { return }
    var chain: [OrderRequest.Held] = []
    var next = held
    while let turn = next {
      next = turn.outer
      guard let stake = turn.node.stake else { continue }
      let (generation, number) = turn.identity
      chain.append(OrderRequest.Held(stake: stake, job: turn.node.job, generation: generation, turn: number))
    }
    let (stake, job) = wanted()
    guard let stake else { return }
    let request = OrderRequest(
      held: chain, wanted: stake, job: job ?? stake.job, task: withUnsafeCurrentTask { $0?.hashValue ?? 0 },
      isAmbiguous: own.isEmpty && watches.count > 1)
    for watch in watches { watch.note(request) }
  }
}

extension HeldTurn {
  /// Tells those who watch what a call asks for that holds this turn; looks at one bit only if there is none.
  @inline(__always)
  package func asks(for stake: @autoclosure () -> Stake?, job: @autoclosure () -> String? = nil) {
    if isWatched { tellOfRequest(stake, job) }
  }

  @inline(never)
  private func tellOfRequest(_ stake: () -> Stake?, _ job: () -> String?) {
    OrderWatches.tell(holding: self) { (stake(), job()) }
  }
}
