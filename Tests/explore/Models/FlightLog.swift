import SerialTasks

/// Keeps account of every call and every flight of one coalescer, and checks the promises of flights at each event.
///
/// A flight begins, is joined and is served from in the very step that is reported: nothing comes between the library's
/// decision and the event, so the order of the events is the order of the decisions.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class FlightLog: @unchecked Sendable {
  enum Key: Int, CaseIterable, Sendable, Hashable {
    case x, y

    /// The place in a hash table is usually another in each table; a schedule that is run again needs the same.
    func _rawHashValue(seed: Int) -> Int { rawValue }
  }

  /// What an operation returns: an object, to see that it is released.
  final class Value: Sendable {
    let flight: Int

    init(_ flight: Int) { self.flight = flight }
  }

  /// Thrown by operations; a class, to see that it comes back as the same instance.
  final class FlightError: Error, Sendable {}

  /// What an operation does.
  struct Work {
    let steps: Int
    let error: FlightError?

    /// An operation of up to two steps; one in so many throws.
    init(_ random: inout SplitMix, failsOnceIn times: Int = 4) {
      steps = random.below(3)
      error = random.once(in: times) ? FlightError() : nil
    }
  }

  /// A call that asks, or prefetches.
  struct Call {
    let name: String
    let key: Key
    /// How long its result is kept, if it is a prefetch.
    var expiresAfter: Int?
    let priority: TaskPriority
    let wasCancelled: Bool
    /// The moments, in events, at which it was cancelled and at which it was served.
    var cancelled: Int?
    var served: Int?
    /// The flight it is or was on, and since when.
    var flight: Int?
    var boarded = 0
    var boardings = 0
    /// What it read from the clock when it came.
    var reading: Int?
    /// Its key was cancelled after it came.
    var wasCleared = false
    /// It waited for certain when that happened.
    var mustBeWithdrawn = false
    var isToldWithdrawn = false
    var mustBeServed = false
    var isAnswered = false
  }

  struct Flight {
    let owner: Int
    let key: Key
    /// How long its result is kept, if it is a prefetch.
    let expiresAfter: Int?
    /// The library's, which it may give again when the flight is gone.
    let number: UInt64
    /// The moments, in events.
    let registered: Int
    /// When it was registered, by the clock, if that is known.
    let began: Int?
    var riders: [Int]
    var runs = 0
    var hasEnded = false
    var isFinished = false
    var error: FlightError?
    /// When its result was stored, if it was, by the clock.
    var landed: Int?
    var hasAnswered = false
    /// Invalidated, or replaced because it was too old.
    var isDetached = false
    var isWithdrawn = false
    /// Whether a task is in the middle of withdrawing it, and cancels its operation last.
    var isBeingWithdrawn = false
    var isToldToStop = false
    /// The last moment at which it flew and no task was in the middle of anything.
    var quiet = 0
    var served = 0
    /// While its operation runs.
    var task: UnsafeCurrentTask?

    var isPrefetch: Bool { expiresAfter != nil }
    /// Whether callers certainly find it, unless it has been abandoned.
    var isOpen: Bool { !isFinished && !isDetached && !isWithdrawn }
    var isCancelled: Bool { task?.isCancelled ?? false }
  }

  let world: World
  let clock: FlightClock
  let coalescer: TaskCoalescer<Key, Value>
  let joinWindow: Int?
  /// With one key it is known from outside who must be served.
  let hasOneKey: Bool
  /// Whether operations go on when everybody has left.
  let runsToEnd: Bool
  var calls: [Call] = []
  var flights: [Flight] = []
  /// When a key was invalidated or cancelled, in events.
  var forgotten: [(key: Key, moment: Int)] = []
  var moment = 0
  var values: [Weak] = []

  struct Weak { weak var value: Value? }

  init(
    _ world: World, hasOneKey: Bool = false, joinWindow: Int? = nil, runsToEnd: Bool = false, isHesitant: Bool = false
  ) {
    let relay = Relay()
    self.world = world
    self.hasOneKey = hasOneKey
    self.joinWindow = joinWindow
    self.runsToEnd = runsToEnd
    clock = FlightClock(world, isHesitant: isHesitant)
    coalescer = TaskCoalescer(
      name: "flights", joinWindow: joinWindow.map { .milliseconds($0) }, runsToEnd: runsToEnd, clock: clock
    ) { relay.log?.report($0) }
    relay.log = self
    world.watch(coalescer, "the coalescer")
    world.probeLock { [coalescer] in _ = coalescer.snapshot }
  }

  /// Safe for the same reason as the log.
  private final class Relay: @unchecked Sendable { weak var log: FlightLog? }

  /// The next moment.
  func tick() -> Int {
    moment += 1
    return moment
  }
}

// MARK: - An operation, from its first instruction to its last

extension FlightLog {
  /// The operation of a call or a prefetch.
  func fly(_ call: Int, _ work: Work) async throws -> Value {
    let flight = enter(call, work)
    world.point()
    for _ in 0..<work.steps {
      await world.step()
      look(flight)
    }
    leave(flight)
    if let error = work.error { throw error }
    let value = Value(flight)
    values.append(Weak(value: value))
    return value
  }

  private func enter(_ call: Int, _ work: Work) -> Int {
    let name = calls[call].name
    world.note(name, "flies")
    guard let flight = flights.lastIndex(where: { $0.owner == call }) else {
      world.expect(false, "a flight is reported before it flies", name)
      return 0
    }
    flights[flight].runs += 1
    flights[flight].error = work.error
    flights[flight].task = withUnsafeCurrentTask { $0 }
    world.expect(flights[flight].runs == 1, "one operation a flight", name)
    let isWithdrawn = flights[flight].isWithdrawn && !Task.isCancelled
    world.expect(!isWithdrawn, "the operation of a withdrawn flight does not begin", name)
    return flight
  }

  /// What an operation sees when it goes on after a suspension.
  private func look(_ index: Int) {
    let flight = flights[index]
    let name = calls[flight.owner].name
    if Task.isCancelled {
      world.expect(
        flight.isWithdrawn || isUnwanted(flight), "an operation is cancelled only when no caller wants it", name)
    } else {
      world.expect(!flight.isToldToStop, "the operation of a withdrawn flight is cancelled", name)
    }
    guard world.isQuiet else { return }
    flights[index].quiet = tick()
    let urgent = flight.isWithdrawn ? [] : flight.riders.filter { calls[$0].cancelled == nil && !calls[$0].isAnswered }
    let most = urgent.map { calls[$0].priority.rawValue }.max() ?? 0
    world.expect(
      Task.currentPriority.rawValue >= most, "a joiner of higher priority raises the operation",
      "\(name) runs at \(Task.currentPriority.rawValue), a caller waits at \(most)")
  }

  private func leave(_ flight: Int) {
    world.note(calls[flights[flight].owner].name, "ends")
    flights[flight].hasEnded = true
    flights[flight].task = nil
  }
}
