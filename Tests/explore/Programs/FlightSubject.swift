import CoalescingTasks
@_spi(Testing) import SerialTasksTesting

/// Operations that callers share: led, joined, left, fetched ahead, invalidated, and cancelled by their keys.
struct FlightSubject: Subject, Flights {
  static let name = "flight-programs"
  static let about =
    "random programs over shared operations: leading, joining, leaving, prefetches, invalidation, log-outs, nesting"
  static let surface = Program.Surface(hasFlights: true, keys: ["x", "y"])
  static let mustMeet = [
    "a flight is joined", "what was prefetched is served", "a prefetch fails its callers", "a flight is too old",
    "what was prefetched is gone", "an operation calls another",
  ]

  /// What an operation returns: an object, to see that it is released.
  final class Value: Sendable {
    let job: Int

    init(_ job: Int) { self.job = job }
  }

  let coalescer: TaskCoalescer<String, Value>
  private let values = Values()

  private final class Values: Sendable {
    struct Weak { weak var value: Value? }

    private let lock = RecursiveLock()
    /// Safe because it is accessed only under the lock, which ThreadSanitizer understands.
    private nonisolated(unsafe) var all: [Weak] = []

    var areReleased: Bool { lock.locked { all.allSatisfy { $0.value == nil } } }

    func new(_ job: Int) -> Value {
      let value = Value(job)
      lock.locked { all.append(Weak(value: value)) }
      return value
    }
  }

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  ) {
    coalescer = TaskCoalescer(
      name: "flights", joinWindow: options.joinWindow.map { .milliseconds($0) }, runsToEnd: options.runsToEnd,
      clock: clock, onEvent: report)
    world.watch(coalescer, "the coalescer")
    world.probeLock { [coalescer] in _ = coalescer.snapshot }
  }

  nonisolated(nonsending) func answer(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int
  ) async throws -> (value: Int, source: CoalescedAnswer<Value>.Source?) {
    let answer = try await coalescer.answer(for: call.touch.keys![0], policy: call.policy, name: call.name) {
      [values] in
      values.new(try await operation())
    }
    return (answer.value.job, answer.source)
  }

  func ask(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {
    coalescer.value(
      for: call.touch.keys![0], policy: call.policy, name: call.name, priority: call.priority
    ) { [values] in
      values.new(try await operation())
    } completion: {
      completion($0.map(\.job))
    }
  }

  func start(_ call: Call, _ operation: @escaping @Sendable () async throws -> Int) {
    coalescer.prefetch(
      call.touch.keys![0], expiresAfter: .milliseconds(call.expiresAfter!), name: call.name, priority: call.priority
    ) { [values] in values.new(try await operation()) }
  }

  func invalidate(_ key: String?) { if let key { coalescer.invalidate(key) } else { coalescer.invalidateAll() } }
  func cancelAll(_ key: String?) { if let key { coalescer.cancel(key) } else { coalescer.cancelAll() } }
  nonisolated(nonsending) func drain(_ key: String?) async throws { try await coalescer.drain() }
  var drainable: any Drainable { coalescer }

  func mismatch(_ counts: Counts) -> String? {
    let now = coalescer.snapshot
    let isRight = now.running == counts.reading && now.waiting == counts.waiting && now.stored == counts.stored
    return isRight ? nil : "\(now)"
  }

  func mismatch(_ plan: Plan, _ name: (Int) -> String) -> String? { plan.counts.flatMap { mismatch($0) } }

  var shelved: Int { coalescer.shelf }

  var isReleased: Bool { values.areReleased }

  func check(_ world: World) {
    world.expect(isReleased, "what is forgotten does not stay in memory")
  }
}
