import CoalescingTasks

/// An executor that a program is played on.
protocol Subject: Sendable, SendableMetatype {
  static var name: String { get }
  static var about: String { get }
  static var surface: Program.Surface { get }
  /// What a campaign must meet.
  static var mustMeet: [String] { get }

  init(
    _ world: World, _ options: Program.Options, _ clock: FlightClock, _ report: @escaping @Sendable (TaskEvent) -> Void
  )

  nonisolated(nonsending) func enqueue(
    _ call: Call, _ job: nonisolated(nonsending) () async throws -> Int
  ) async throws -> Int
  func read(_ call: Call, _ operation: @escaping @Sendable () async throws -> Int) async throws -> Int
  func submit(_ call: Call, _ job: @escaping @Sendable () async throws -> Int) -> Handle
  func pause()
  nonisolated(nonsending) func pauseAndWait() async throws
  func resume()
  var isPaused: Bool { get }
  func cancelAll(_ key: String?)
  nonisolated(nonsending) func drain(_ key: String?) async throws
  var drainable: any Drainable { get }
  /// Itself, if what it is asked for are flights.
  var flights: (any Flights)? { get }
  /// Returns its snapshot if that says anything else than this.
  func mismatch(_ counts: Counts) -> String?
  /// Whether a job has its turn on the key, also if it has not begun.
  func isGranted(_ key: String) -> Bool
  /// Whether another process has one of the keys.
  func isHeldElsewhere(_ touch: Touch) -> Bool
  /// The last failure of an engine that has reached a job of these keys, and whether this may be one for a job that came then.
  func failure(of touch: Touch) -> Int
  func fails(_ error: any Error, _ touch: Touch, since failure: Int) -> Bool
  /// Whether nothing of what has ended is kept in memory; on real threads, that may come a moment after the last answer.
  var isReleased: Bool { get }
  /// What must be true when nothing runs any more.
  func check(_ world: World)
}

/// What shares operations: calls ask for flights.
protocol Flights: Sendable {
  nonisolated(nonsending) func answer(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int
  ) async throws -> (value: Int, source: CoalescedAnswer<FlightSubject.Value>.Source?)
  /// Asks from synchronous code.
  func ask(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void)
  /// Asks without waiting.
  func start(_ call: Call, _ operation: @escaping @Sendable () async throws -> Int)
  func invalidate(_ key: String?)
  func replace(with value: Int, validFor validity: Int)
  /// How many results are kept, good or not.
  var shelved: Int { get }
  func tell(_ account: Account)
  /// Returns its snapshot if that says anything else than the plan.
  func mismatch(_ plan: Plan, _ name: (Int) -> String) -> String?
}

extension Flights {
  func ask(
    _ call: Call, _ operation: @escaping @Sendable () async throws -> Int,
    _ completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) { fatalError("it has no completion handlers") }
  func start(_ call: Call, _ operation: @escaping @Sendable () async throws -> Int) { fatalError("all calls wait") }
  func invalidate(_ key: String?) {}
  func replace(with value: Int, validFor validity: Int) {}
  var shelved: Int { 0 }
  func tell(_ account: Account) {}
  func mismatch(_ plan: Plan, _ name: (Int) -> String) -> String? { nil }
}

/// A subject that has no line.
extension Subject where Self: Flights {
  var flights: (any Flights)? { self }
  nonisolated(nonsending) func enqueue(
    _ call: Call, _ job: nonisolated(nonsending) () async throws -> Int
  ) async throws -> Int { fatalError("it has no line") }
  func submit(_ call: Call, _ job: @escaping @Sendable () async throws -> Int) -> Handle {
    fatalError("it has no line")
  }
}

/// What a snapshot has to say.
struct Counts: Equatable {
  let waiting: Int
  let reading: Int
  let writing: Int
  let isPaused: Bool
  let isClosed: Bool
  /// Results of prefetches that are kept.
  var stored = 0
}

extension Subject {
  static var mustMeet: [String] { [] }
  var flights: (any Flights)? { nil }
  func read(_ call: Call, _ operation: @escaping @Sendable () async throws -> Int) async throws -> Int {
    fatalError("it has no reads")
  }
  func pause() { fatalError("it has no pause") }
  nonisolated(nonsending) func pauseAndWait() async throws { fatalError("it has no pause") }
  func resume() {}
  var isPaused: Bool { false }
  func isGranted(_ key: String) -> Bool { false }
  func isHeldElsewhere(_ touch: Touch) -> Bool { false }
  func failure(of touch: Touch) -> Int { 0 }
  func fails(_ error: any Error, _ touch: Touch, since failure: Int) -> Bool { false }
  var isReleased: Bool { true }
  func check(_ world: World) {}
}

/// The body of a typed job.
func typed(_ job: () async throws -> Int) async throws(Fault) -> Int {
  do { return try await job() } catch { throw .thrown(error) }
}
