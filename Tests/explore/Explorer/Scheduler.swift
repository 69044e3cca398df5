/// Decides which of the runnable jobs runs next: one at a time, on one thread.
///
/// Between two suspensions a task can also be **preempted**, at a ``point()``: whenever it makes another task runnable, and
/// whenever the library calls a closure of its user. There the strategy may run other jobs first, on top of the stack of the
/// one that is preempted. That stands for another thread which is faster, and it is how a decision can come between two
/// steps of the library that have no suspension between them.
///
/// Safe because all of it is reached only from the one thread that the explorer uses; `Runtime` checks that.
final class Scheduler: @unchecked Sendable {
  /// Safe because it is written once, before the first job exists.
  nonisolated(unsafe) static var current: Scheduler?

  private(set) var strategy: any Strategy = RandomStrategy(seed: 0)
  private(set) var steps = 0
  private(set) var now = 0
  /// Distinguishes the step that runs from those that it has preempted, and from those that preempt it.
  private(set) var step = 0
  private var ready: [Runnable] = []
  private var sleeping: [(until: Int, runnable: Runnable)] = []
  private var firstTask: UInt64?
  /// The task that runs, and how many are preempted below it.
  private var running: Int?
  private var depth = 0
  /// Where the next job goes that becomes runnable, if it is known that it is run at once.
  private var awaited: UnownedJob?
  private var isAwaiting = false
  private var isUninterrupted = false
  /// The step that makes a call which has no place yet.
  private var placing: Int?
  /// Tasks that are not preempted where they make others runnable.
  private var calm: Set<Int> = []
  /// Called whenever something becomes runnable.
  var onEnqueue: () -> Void = {}

  private static let deepest = 4
  static let mostSteps = 20_000

  func reset(_ strategy: any Strategy) {
    self.strategy = strategy
    (steps, step, now, depth) = (0, 0, 0, 0)
    (firstTask, running) = (nil, nil)
    (isAwaiting, isUninterrupted, placing) = (false, false, nil)
    calm.removeAll()
    ready.removeAll(keepingCapacity: true)
    sleeping.removeAll(keepingCapacity: true)
  }
}

// MARK: - Becoming runnable

extension Scheduler {
  func add(_ job: UnownedJob) {
    onEnqueue()
    if isAwaiting {
      (awaited, isAwaiting) = (job, false)
      return
    }
    ready.append(Runnable(what: .job(job), task: number(of: job)))
    // A task that has just suspended cannot be preempted.
    if let task = Scheduler.currentTask, !calm.contains(task) { point() }
  }

  func add(_ job: UnownedJob, after milliseconds: Int) {
    sleep(Runnable(what: .job(job), task: number(of: job)), milliseconds)
  }

  /// The running task goes on when the strategy says so.
  func add(_ continuation: UnsafeContinuation<Void, Never>) {
    ready.append(Runnable(what: .continuation(continuation), task: running ?? 0))
  }

  func add(_ continuation: UnsafeContinuation<Void, Never>, after milliseconds: Int) {
    sleep(Runnable(what: .continuation(continuation), task: running ?? 0), milliseconds)
  }

  private func sleep(_ runnable: Runnable, _ milliseconds: Int) {
    let until = now + milliseconds
    let index = sleeping.firstIndex { $0.until > until } ?? sleeping.endIndex
    sleeping.insert((until, runnable), at: index)
  }

  /// The runtime counts tasks from the start of the process; a schedule counts its own, so that they have the same numbers
  /// each time.
  private func number(of job: UnownedJob) -> Int {
    let id = Runtime.task(of: job)
    let first = firstTask ?? id
    firstTask = first
    return id < first ? 0 : Int(id - first)
  }
}

// MARK: - Running

extension Scheduler {
  enum Ending { case done, tooLong }

  /// Runs until nothing is runnable and no task sleeps.
  func runAll() -> Ending {
    while steps < Scheduler.mostSteps {
      if ready.isEmpty {
        guard let next = sleeping.first else { return .done }
        sleeping.removeFirst()
        now = next.until
        ready.append(next.runnable)
      }
      run(ready.remove(at: strategy.choose(from: ready, running: nil) ?? 0))
    }
    return .tooLong
  }

  /// Whether no task is preempted.
  var isQuiet: Bool { depth == 1 }

  /// A place at which another thread may be faster than the running task.
  func point() {
    guard let running, !isUninterrupted, placing != step, depth < Scheduler.deepest else { return }
    while !ready.isEmpty, steps < Scheduler.mostSteps,
      let index = strategy.choose(from: ready, running: running)
    {
      run(ready.remove(at: index))
    }
  }

  /// Runs the closure with no ``point()`` in it.
  ///
  /// The runtime calls cancellation handlers under a lock of the task, for which all other code that touches the task waits;
  /// on one thread that would be for ever.
  func uninterrupted(_ body: () -> Void) {
    let before = isUninterrupted
    isUninterrupted = true
    body()
    isUninterrupted = before
  }

  /// A call is made that is to have its place before another is made: there is no ``point()`` until it has, or suspends.
  func beginPlacing() { placing = step }

  func endPlacing() { placing = nil }

  /// The running task is preempted no more where it makes others runnable, or again.
  ///
  /// - Returns: Whether it was before.
  @discardableResult
  func setCalm(_ isCalm: Bool) -> Bool {
    guard let task = Scheduler.currentTask else { return false }
    return isCalm ? !calm.insert(task).inserted : calm.remove(task) != nil
  }

  private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  private func run(_ runnable: Runnable) {
    steps += 1
    let preempted = (running, step)
    (running, step) = (runnable.task, steps)
    depth += 1
    switch runnable.what {
    case .job(let job): Runtime.run(job)
    case .continuation(let continuation):
      isAwaiting = true
      continuation.resume()
      guard let job = awaited else { fatalError("a task was resumed and did not become runnable") }
      awaited = nil
      Runtime.run(job)
    }
    depth -= 1
    (running, step) = preempted
  }
}

/// Something that can run now.
struct Runnable {
  enum What {
    case job(UnownedJob)
    case continuation(UnsafeContinuation<Void, Never>)
  }

  let what: What
  /// The task it belongs to, counted from the first of the schedule; 0 for an actor's own job.
  let task: Int
}
