import SerialTasks

struct OrderRequest: Sendable {
  /// A turn that the task certainly holds.
  struct Held: Sendable {
    let stake: Stake
    let job: String?
    let generation: UInt
    let turn: UInt64
  }

  /// The innermost first.
  let held: [Held]
  let wanted: Stake
  let job: String?
  /// While the task runs: a later task may have the same number.
  let task: Int
  /// Whether it comes from a detached job, which inherits nothing, and there are several recorders.
  let isAmbiguous: Bool
}

/// The recorders, each of which gets the requests of its own tasks, by a task-local.
enum OrderWatches {
  @TaskLocal static var current: [OrderRecorder] = []
  /// These get the requests of detached jobs, which inherit no task-local.
  private static let all = Lock<[OrderRecorder]>([])

  static func run<Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ recorder: OrderRecorder,
    _ body: nonisolated(nonsending) () async throws(Failure) -> Void
  ) async throws(Failure) {
    begin(recorder)
    var thrown: Failure?
    // Otherwise the marker stays unbound, and so belongs to no turn.
    let isInside = HeldTurn.innermost != nil
    // Makes the library look for a marker around a call's own.
    let generation = TurnGeneration.take()
    let scope = WaitNode(generation: generation)
    let marker = TurnMarker(node: scope)
    await TurnMarker.key.withValue(marker) {
      _ = isolation
      if isInside { TurnMarker.bindAddress() }
      await $current.withValue(current + [recorder]) {
        _ = isolation
        do throws(Failure) { try await body() } catch { thrown = error }
      }
      marker.end()
    }
    withExtendedLifetime(scope) {}
    end(recorder, generation)
    if let thrown { throw thrown }
  }

  @inline(never)
  private static func begin(_ recorder: OrderRecorder) {
    all.withLock { all in
      all.append(recorder)
      OrderHook.set(OrderHook.Observer(asks: note, isRejected: note))
    }
  }

  @inline(never)
  private static func end(_ recorder: OrderRecorder, _ generation: TurnGeneration) {
    TurnGeneration.release(generation)
    // Released after the unlock.
    _ = all.withLock { all -> OrderRecorder? in
      let own = all.firstIndex { $0 === recorder }.map { all.remove(at: $0) }
      if all.isEmpty { OrderHook.set(nil) }
      return own
    }
  }

  @Sendable private static func note(holding held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) {
    let own = current
    let recorders = own.isEmpty && TurnMarker.isInDetached ? all.withLock { $0 } : own
    if recorders.isEmpty { return }
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
      isAmbiguous: own.isEmpty && recorders.count > 1)
    for recorder in recorders { recorder.note(request) }
  }

  /// Skips detached jobs, which may belong to any test.
  @Sendable private static func note(_ deadlock: DeadlockError) {
    for recorder in current { recorder.note(deadlock) }
  }
}
