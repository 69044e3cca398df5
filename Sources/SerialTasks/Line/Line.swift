import Synchronization

/// Where jobs wait for their turns: ``LineState`` decides under the lock, and the line carries out the effects after it.
///
/// Its jobs exclude each other; ``KeyedLine`` adds keys.
@usableFromInline
package class Line: WaitNode, @unchecked Sendable {
  // Safe because the state has its lock, and the rest is immutable after initialization.

  @usableFromInline package final let name: String?
  final let type: String
  /// Whether each key counts as a separate executor in events.
  final let reportsKeys: Bool
  /// Whether unnamed, unreported callers can use the fast path.
  @usableFromInline final let hasWord: Bool
  /// Except reads and nested calls.
  @usableFromInline package final let kindOfJobs: Job.Kind
  package final let isObserved = Atomic(false)
  @usableFromInline package final let clock: AnyClock
  @usableFromInline final let reporter: Reporter?
  final let registration = WaitRegistration()
  /// `TurnMarker.key`, whose initialization would be checked each time.
  @usableFromInline final let markers = TurnMarker.key
  /// The turn of a caller that found the line free, while no other task accesses the state.
  private final let word: TurnWord
  /// Accessed only through ``locked(_:)``, except by observers, which only read the waiting jobs.
  @usableFromInline package final let lock: Lock<LineState>

  @usableFromInline @inline(never)
  package init(
    name: String?, type: String, table: (KeyIndex & Sendable)? = nil, reportsKeys: Bool = false,
    capacity: Int? = nil, capacityPerKey: Int? = nil, slots: Int? = nil, kind: Job.Kind = [], clock: AnyClock,
    turnLimit: Duration? = nil, onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    Self.check("capacity", capacity)
    Self.check("capacityPerKey", capacityPerKey)
    self.name = name
    self.type = type
    self.reportsKeys = reportsKeys
    self.clock = clock
    reporter = Reporter(clock: clock, turnLimit: turnLimit, sharesAll: false, onEvent: onEvent)
    lock = Lock(
      LineState(table: table, capacity: capacity, capacityPerKey: capacityPerKey, slots: slots, kind: kind))
    hasWord = !reportsKeys && onEvent == nil
    word = TurnWord(isOpen: hasWord)
    kindOfJobs = kind
    super.init(generation: .take())
    lock.withLock { ($0.line, $0.countsAhead) = (self, reporter != nil) }
    registration.begin(self)
  }

  deinit {
    registration.end()
    TurnGeneration.release(generation)
  }

  @usableFromInline @inline(never) package static func check(_ name: StaticString, _ limit: Int?) {
    if let limit, limit < 1 { fatalError("\(name) must be at least 1, but is \(limit)") }
  }

  // MARK: The lock

  /// Gives a caller without a place one, and runs the body under the lock.
  @_alwaysEmitIntoClient
  package final func locked<Result: Sendable>(_ body: (inout sending LineState) -> Result) -> Result {
    atTheDoor { state in
      state.settle()
      return body(&state)
    }
  }

  /// Runs the body under the lock, after the word is merged: only to enter a free line, and to leave it.
  @_alwaysEmitIntoClient
  final func atTheDoor<Result: Sendable>(_ body: (inout sending LineState) -> Result) -> Result {
    lock.withLock { state in
      if hasWord { closeWord(&state) }
      let result = body(&state)
      if hasWord { openWord(state) }
      return result
    }
  }

  @usableFromInline
  final func closeWord(_ state: inout LineState) {
    if !word.isClosed { mergeWord(into: &state) }
  }

  @inline(never)
  private final func mergeWord(into state: inout LineState) {
    if let task = word.close() { _ = state.enter(name: nil, task: task) }
  }

  @usableFromInline @inline(never)
  final func openWord(_ state: borrowing LineState) { if state.isFree { word.open() } }

  @usableFromInline
  final func enterUnnamed() -> TaskReference? { word.enter() }

  /// Returns `false` if the state has the turn, because another task has accessed it.
  @usableFromInline
  final func leaveUnnamed(_ task: TaskReference) -> Bool { word.leave(task) }

  // MARK: What few lines need

  @usableFromInline @inline(never)
  package final var limits: TimeLimits {
    locked { state in
      let rare = state.rareState
      let limits = rare.limits ?? TimeLimits(clock: clock)
      rare.limits = limits
      return limits
    }
  }

  @inline(__always)
  package final func tellObservers() {
    if isObserved.load(ordering: .relaxed) { locked { $0.rare?.observers }?.tell() }
  }

  // MARK: Turns and names

  package final override var holder: Job? {
    locked { $0.holder }
  }

  @usableFromInline package final override var job: String? { locked { $0.holder?.name } }

  @usableFromInline package final override var label: String {
    name ?? WaitNode.shortID(type, of: ObjectIdentifier(self))
  }

  final override var turnLabel: String { label(touching: holder) }

  final func label(touching job: Job?) -> String { job?.label(of: label) ?? label }

  @usableFromInline
  package final func label(_ keys: [String]) -> String { label.touching(keys) }

  package final override var stake: Stake? { stake(ofJob: holder) }
}
