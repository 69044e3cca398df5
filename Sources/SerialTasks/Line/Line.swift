import Synchronization

/// Where jobs wait for their turn: takes the lock, lets the ``LineState`` decide, unlocks, and carries out what was decided.
///
/// A line has no keys, and all its jobs are whole; ``KeyedLine`` adds keys, and only what has to be specialised in the client for that.
@usableFromInline
package class Line: WaitNode, @unchecked Sendable {
  // Safe because the state is behind its lock, and the rest is immutable once the line is made.

  @usableFromInline package final let name: String?
  /// What it is the line of.
  final let type: WaitReport.Executor.Kind
  /// Whether each key counts as an executor of its own in events.
  final let reportsKeys: Bool
  /// Whether there may be callers of which nothing is to be told.
  @usableFromInline final let hasWord: Bool
  /// What its jobs are, but for reads and for what is called inside another.
  @usableFromInline package final let kindOfJobs: Job.Kind
  /// Whether a test waits until so many wait.
  private final let isObserved = Atomic(false)
  /// Measures how long jobs wait and run.
  @usableFromInline package final let clock: AnyClock
  /// Tells the handler of events, if there is one.
  @usableFromInline final let reporter: Reporter?
  final let registration = WaitRegistration()
  /// `TurnMarker.key`, which would be asked anew each time whether it is there already.
  @usableFromInline final let markers = TurnMarker.key
  /// The turn of a caller that finds the line free, while no other task looks.
  private final let word: TurnWord
  /// Reached through ``locked(_:)`` alone, but by observers, who ask only for those that wait.
  @usableFromInline package final let lock: Lock<LineState>

  @usableFromInline
  package init(
    name: String?, type: WaitReport.Executor.Kind, table: KeyIndex? = nil, reportsKeys: Bool = false,
    capacity: Int? = nil, capacityPerKey: Int? = nil, slots: Int? = nil, kind: Job.Kind = [], clock: AnyClock,
    turnLimit: Duration? = nil, onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    // Not preconditions: those say nothing in release builds.
    if let capacity, capacity < 1 { fatalError("capacity must be at least 1, but is \(capacity)") }
    if let capacityPerKey, capacityPerKey < 1 {
      fatalError("capacityPerKey must be at least 1, but is \(capacityPerKey)")
    }
    self.name = name
    self.type = type
    self.reportsKeys = reportsKeys
    self.clock = clock
    reporter = Reporter(clock: clock, turnLimit: turnLimit, onEvent: onEvent)
    lock = Lock(
      LineState(table: table, capacity: capacity, capacityPerKey: capacityPerKey, slots: slots, kind: kind))
    hasWord = !reportsKeys && onEvent == nil
    word = TurnWord(isOpen: hasWord)
    kindOfJobs = kind
    super.init(generation: .take())
    lock.withLock { $0.line = self }
    registration.begin(self)
  }

  deinit {
    registration.end()
    TurnGeneration.release(generation)
  }

  // MARK: The lock

  /// Runs the body under the lock: the one way to the state, which is told first what only the word knew.
  @_alwaysEmitIntoClient
  package final func locked<Result: Sendable>(_ body: (inout LineState) -> Result) -> Result {
    lock.withLock { state in
      if hasWord { closeWord(&state) }
      let result = body(&state)
      if hasWord { openWord(state) }
      return result
    }
  }

  @usableFromInline
  final func closeWord(_ state: inout LineState) {
    if let task = word.close() { _ = state.enter(name: nil, task: task) }
  }

  @usableFromInline
  final func openWord(_ state: borrowing LineState) { if state.isFree { word.open() } }

  /// Takes the line for a job of which nothing is to be told: it has no name, and is not reported.
  ///
  /// - Returns: The caller's task; `nil` if the line is not free, or there is more to decide, and then nothing has changed.
  @usableFromInline
  final func enterUnnamed() -> TaskReference? { word.enter() }

  /// Ends the turn of ``enterUnnamed()``, unless another task has looked since: then the state knows who has it.
  @usableFromInline
  final func leaveUnnamed(_ task: TaskReference) -> Bool { word.leave(task) }

  /// Safe because only jobs, and those who drain it, wait in a line.
  static func job(_ waiter: Waiter) -> Job { unsafeDowncast(waiter, to: Job.self) }

  /// Returns the job whose turn it is, of a turn of a line.
  ///
  /// Safe because only jobs of lines are holders.
  @usableFromInline
  static func holder(of turn: WaitNode) -> Job? { turn.holder.map { unsafeDowncast($0, to: Job.self) } }

  // MARK: What few lines need

  /// Ends waits when their time is over.
  @usableFromInline
  package final var limits: TimeLimits {
    locked { state in
      let rare = state.rareState
      let limits = rare.limits ?? TimeLimits(clock: clock)
      rare.limits = limits
      return limits
    }
  }

  /// Waits until this holds of the line; not at all if it does already.
  ///
  /// - Parameters:
  ///   - patience: How long to wait at most.
  ///   - isReached: Whether enough wait; asked under the lock.
  /// - Returns: Why the call did not wait for that: its task was cancelled, or it is late.
  package nonisolated(nonsending) final func wait(
    patience: Duration?, until isReached: @escaping @Sendable (borrowing LineState) -> Bool
  ) async -> JobRejection? {
    isObserved.store(true, ordering: .relaxed)
    let observers = locked { state in
      let rare = state.rareState
      let observers = rare.observers ?? WaitObservers()
      rare.observers = observers
      return observers
    }
    return await observers.wait(in: lock, patience: patience, until: isReached)
  }

  /// Resumes the observers that have seen enough.
  @inline(__always)
  final func tellObservers() {
    if isObserved.load(ordering: .relaxed) { locked { $0.rare?.observers }?.tell() }
  }

  // MARK: Turns and names

  package final override var holder: Job? {
    locked { state in
      state.settle()
      return state.holder
    }
  }

  @usableFromInline package final override var job: String? { locked { $0.light.map(\.name) ?? $0.holder?.name } }

  @usableFromInline package final override var label: String {
    name ?? WaitNode.shortID(type.rawValue, of: ObjectIdentifier(self))
  }

  package final override var turnLabel: String { label(touching: holder) }

  final func label(touching job: Job?) -> String { job?.label(of: label) ?? label }

  /// Returns what events and deadlocks call what touches these keys: `bank[ann, bob]`, or `bank` for every key.
  @usableFromInline
  package final func label(_ keys: [String]) -> String { label.touching(keys) }

  package final override var stake: Stake? { stake(ofJob: holder) }
}
