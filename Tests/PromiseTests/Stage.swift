import SerialTasks
import SerialTasksTesting
import TestWatch

/// What an executor of the table is made with.
struct Settings: Sendable {
  /// Whether it reports events and its jobs have names: those take other paths.
  var isObserved = false
  var capacity: Int?
  /// Whether the capacity is that of each key, where an executor has one.
  var isCapacityPerKey = false
  /// How many jobs, or reads, may run at a time, where an executor has such a limit.
  var slots: Int?
  /// After how long a turn is reported as too long, where an executor has such a limit.
  var turnLimit: Duration?
  var name: String
  let clock = ManualClock()
  var events = EventLog()
  /// What access waits for, where it is asked for.
  let access = Box<Gate?>(nil)
  /// What is done when an event has been noted.
  var onEach = Box<@Sendable (TaskEvent) -> Void>({ _ in })

  var onEvent: (@Sendable (TaskEvent) -> Void)? {
    guard isObserved else { return nil }
    return { [events, onEach] event in
      events.handler(event)
      onEach.value(event)
    }
  }

  private static let made = Lock(0)

  init(isObserved: Bool = false, slots: Int? = nil, capacity: Int? = nil, isCapacityPerKey: Bool = false) {
    self.isObserved = isObserved
    self.slots = slots
    self.capacity = capacity
    self.isCapacityPerKey = isCapacityPerKey
    clock.advance(by: .seconds(1))
    // Tests run beside each other, and a report is of the whole process.
    name = Self.made.withLock {
      $0 += 1
      return "subject \($0)."
    }
  }
}

/// Something that a cell puts in, and an executor looks at.
final class Box<Value: Sendable>: Sendable {
  private let box: Lock<Value>

  init(_ value: Value) { box = Lock(value) }

  var value: Value { box.withLock { $0 } }
  func put(_ value: Value) { box.withLock { $0 = value } }
}

/// An executor, coalescer, reloader or kept value of its own, and one way to hand work to it.
struct Stage: Sendable {
  let settings: Settings
  let desk: any Desk
  let isTyped: Bool
  let call: nonisolated(nonsending) @Sendable (Work) async throws -> Int
  let submit: (@Sendable (Work) -> Handle)?

  /// Names the work if this stage is observed.
  private func named(_ work: Work) -> Work {
    var work = work
    if settings.isObserved, work.name == nil { work.name = "work" }
    return work
  }

  /// Hands in work, and waits for its end in the task of the caller.
  nonisolated(nonsending) func perform(_ work: Work) async -> Outcome {
    let result: Result<Int, any Error>
    do { result = .success(try await call(named(work))) } catch { result = .failure(error) }
    return Outcome(result, isTyped: isTyped)
  }

  /// Hands in work, which has its place or runs when this returns.
  func start(_ work: Work) -> Pending {
    let work = named(work)
    if let submit {
      let handle = submit(work)
      return Pending(outcome: handle.result, cancel: handle.cancel, isCancelled: handle.isCancelled)
    }
    let task = Task.immediate(priority: work.priority) { await perform(work) }
    return Pending(outcome: { await task.value }, cancel: { task.cancel() })
  }

  /// A job that conflicts with all others, and has its place when this returns.
  func exclusive(
    priority: TaskPriority? = nil, _ job: @escaping @Sendable () async -> Void = {}
  ) -> Task<Void, any Error> {
    Task.immediate(priority: priority) { [desk, name = settings.isObserved ? "other" : nil] in
      try await desk.exclusively(name, job)
    }
  }

  /// A job that conflicts with none of the work, and has its place when this returns.
  func elsewhere(_ job: @escaping @Sendable () async -> Void) -> Task<Void, any Error> {
    Task.immediate { [desk, name = settings.isObserved ? "elsewhere" : nil] in
      try await desk.elsewhere(name, job)
    }
  }

  /// Takes all turns, until it is released.
  func hold() async -> Holder {
    let gate = Gate()
    let task = Task.immediate { [desk, name = settings.isObserved ? "holder" : nil] in
      try await desk.exclusively(name) { await gate.pass() }
    }
    await gate.waitForArrivals()
    return Holder(gate: gate, task: task)
  }
}

/// A job that is in the way of all others.
struct Holder: Sendable {
  let gate: Gate
  let task: Task<Void, any Error>

  /// Ends the job, and returns when its caller has.
  func release() async throws {
    gate.open()
    try await task.value
  }
}
