import SerialTasks

/// Keeps account of every job of one line, an executor's or that of a key, and checks the promises of the line at each event.
///
/// What it knows of the order is not taken from the library: a place is taken before a call can suspend, so on the one
/// thread of the explorer the order of the calls is the order of the places.
///
/// Safe because all of it is reached only from the one thread that the explorer uses.
final class Ledger: @unchecked Sendable {
  struct Entry {
    let name: String
    var outcome: Outcome?
    var isSubmitted = false
    /// The step that is inside `submit` with it.
    var submitter: Int?
    var isWaiting = false
    /// Reported as begun, and then by the job itself.
    var begins = 0
    var runs = 0
    var hasEnded = false
    /// The closing event: finished, failed or rejected.
    var ends = 0
    /// Cancelled, withdrawn or asked for too late: it must not begin any more.
    var mustNotBegin = false
    var wasClosed = false
    /// Submitted, and `submit` has returned: a cancellation from now on reaches its task.
    var hasHandle = false
    var isToldToStop = false
  }

  let world: World
  let line: AccountedLine
  var entries: [Entry] = []
  var running: Int?
  var lastBegun = -1
  var isPaused = false
  var isClosed = false
  var isOver = false

  init(_ world: World, name: String = "line", capacity: Int? = nil) {
    let relay = Relay()
    self.world = world
    let executor = SerialTaskExecutor(name: name, capacity: capacity) { relay.ledger?.report($0) }
    line = .whole(executor)
    relay.ledger = self
    world.watch(executor, "the executor \(name)")
    world.probeLock { [executor] in _ = executor.snapshot }
  }

  /// For one key; the model that made the executor hands on what it reports.
  init(_ world: World, _ key: String, of executor: KeyedSerialTaskExecutor<String>) {
    self.world = world
    line = .key(executor, key)
  }

  var executor: SerialTaskExecutor {
    guard case .whole(let executor) = line else { fatalError("a key has no executor of its own") }
    return executor
  }

  /// Safe for the same reason as the ledger.
  private final class Relay: @unchecked Sendable { weak var ledger: Ledger? }
}

// MARK: - A job, from its call to its answer

extension Ledger {
  /// How a call was answered.
  enum Outcome: Equatable {
    case returned(Int)
    case failed(JobError)
    case rejected(JobRejection)
    case unexpected(String)

    init(_ error: any Error) {
      switch error {
      case let error as JobError: self = .failed(error)
      case let rejection as JobRejection: self = .rejected(rejection)
      case is CancellationError: self = .rejected(.cancelled)
      default: self = .unexpected("\(error)")
      }
    }
  }

  /// Thrown by jobs; a class, to see that it comes back as the same instance.
  final class JobError: Error, Equatable, Sendable {
    static func == (left: JobError, right: JobError) -> Bool { left === right }
  }

  /// A job is about to be asked for; nothing may come between this and the call.
  func ask(_ name: String) -> Int {
    world.note(name, "asks")
    entries.append(Entry(name: name))
    entries[entries.count - 1].wasClosed = isClosed
    return entries.count - 1
  }

  /// The body of a job: it takes its steps and throws the error, or returns the job's number.
  func run(_ job: Int, steps: Int, error: JobError? = nil) async throws -> Int {
    enter(job)
    await world.steps(steps)
    let entry = entries[job]
    world.expect(running == job, "one at a time: a job has its turn until it returns", "of \(entry.name)")
    let mustSee = entry.hasHandle && entry.isToldToStop
    world.expect(!mustSee || Task.isCancelled, "a running job that is cancelled sees it", entry.name)
    leave(job)
    if let error { throw error }
    return job
  }

  /// The first instruction of a job.
  func enter(_ job: Int) {
    entries[job].runs += 1
    let name = entries[job].name
    world.note(name, "runs")
    world.expect(running == nil, "one at a time: two jobs never run at once", "\(name) runs beside another")
    let isInside = entries[job].submitter == world.scheduler.step
    world.expect(!isInside, "a submitted job never starts inside submit", name)
    world.expect(entries[job].runs == 1, "each job runs once", "\(name) runs again")
    world.expect(entries[job].begins == 1, "a job is reported before it runs", name)
    world.expect(entries[job].outcome == nil, "no job runs after its caller was answered", name)
    running = job
  }

  /// The last instruction of a job.
  func leave(_ job: Int) {
    world.note(entries[job].name, "ends")
    entries[job].hasEnded = true
    running = nil
  }

  func answer(_ job: Int, _ outcome: Outcome, error: JobError? = nil) {
    let name = entries[job].name
    world.note(name, "is answered", brief(outcome))
    world.expect(entries[job].outcome == nil, "each call is answered once", "\(name) is answered again")
    entries[job].outcome = outcome
    let entry = entries[job]
    switch outcome {
    case .returned(let value):
      world.expect(value == job && error == nil && entry.hasEnded, "a call returns what its own job returned", name)
    case .failed(let thrown):
      world.expect(thrown == error && entry.hasEnded, "the job's own error comes back, the same instance", name)
    case .rejected(let why):
      world.expect(entry.runs == 0 && entry.begins == 0, "a rejected job never ran", name)
      let isRightly =
        switch why {
        case .closed: entry.wasClosed
        case .cancelled, .withdrawn: entry.mustNotBegin
        case .full(let capacity): capacity == line.snapshot.capacity
        case .deadlock, .late: false
        }
      world.expect(isRightly, "no job is rejected for what did not happen", "\(name): \(why)")
    case .unexpected(let what): world.expect(false, "no other error comes out of a call", what)
    }
    guard entry.wasClosed else { return }
    let isCancelled = outcome == .rejected(.cancelled) && entry.mustNotBegin
    world.expect(outcome == .rejected(.closed) || isCancelled, "a closed executor rejects later jobs", name)
  }

  private func brief(_ outcome: Outcome) -> String {
    switch outcome {
    case .returned: "with its value"
    case .failed: "with its error"
    case .rejected(.cancelled): "with cancelled"
    case .rejected(.withdrawn): "with withdrawn"
    case .rejected(.closed): "with closed"
    case .rejected(.full): "with full"
    case .rejected(.deadlock): "with deadlock"
    case .rejected(.late): "with late"
    case .unexpected: "with something else"
    }
  }
}
