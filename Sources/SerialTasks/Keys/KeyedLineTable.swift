/// Which keys have a line, and for how long.
///
/// It runs under the lock of its ``KeyedLines``, and takes those of lines inside it.
///
/// ```
///             use, or adopt where no line is spare
///   idle ─────────────────────────────────────────► busy ──┐
///    ▲                                               │  ▲  │ use: one user more, leave: one less
///    └───────────────────────────────────────────────┘  └──┘
///             leave, by the last user: the line is spare then, for whichever key comes next
/// ```
///
/// A user is counted *before* it goes to the line and until it is done with it, so no line is taken from its key
/// while somebody is about to arrive there. An idle key has no entry. A few lines are kept spare; what was done to
/// all keys was done to them.
///
/// Invariants, checked after every mutation in debug builds:
/// - Each line in the table has a user and knows its key, and no spare one has or does.
/// - Callers of `drain` wait only while a key is busy.
@usableFromInline
package struct KeyedLineTable<Key: Hashable & Sendable>: ~Copyable, Sendable {
  @usableFromInline package typealias KeyedLine = SerialTasks.KeyedLine<Key>

  @usableFromInline package internal(set) var lines: [StableKey<Key>: KeyedLine] = [:]
  @usableFromInline package internal(set) var spares: [KeyedLine] = []
  @usableFromInline package internal(set) var drainers = WaiterList()
  @usableFromInline package private(set) var isPaused = false
  @usableFromInline package private(set) var isClosed = false
  /// How often a key has become busy.
  @usableFromInline var began: UInt64 = 0
  /// The last place of any line that was given back, so that the places of one key rise, whichever lines it has.
  @usableFromInline package var lastPlace: Place = 0

  @inlinable
  package init() {}

  /// Most lines that are kept for keys to come.
  @inlinable package static var mostSpares: Int { 32 }
}

// MARK: - Coming and going

extension KeyedLineTable {
  @usableFromInline
  package enum Use: Sendable {
    case line(KeyedLine)
    /// None is spare: ``adopt(_:for:)`` with a new one.
    case needsLine
  }

  /// Somebody is about to go to the key's line.
  @inlinable
  package mutating func use(_ key: StableKey<Key>) -> Use {
    guard let spare = spares.last else {
      guard let line = lines[key] else { return .needsLine }
      line.users += 1
      return .line(line)
    }
    // The one look-up of a free key.
    let own = key.numbered(began + 1)
    let line = Self.found(&lines[own, default: spare])
    if line === spare {
      spares.removeLast()
      hand(line, to: own)
    }
    line.users += 1
    checkInvariants()
    return .line(line)
  }

  @inlinable
  static func found(_ line: inout KeyedLine) -> KeyedLine { line }

  /// The same with a line that was just made, because none was spare.
  @inlinable
  package mutating func adopt(_ line: KeyedLine, for key: StableKey<Key>) {
    let own = key.numbered(began + 1)
    lines[own] = line
    hand(line, to: own)
    line.users = 1
    checkInvariants()
  }

  @inlinable
  mutating func hand(_ line: KeyedLine, to key: StableKey<Key>) {
    line.key = key
    began += 1
    line.since = began
  }

  @usableFromInline
  package enum Leaving: Sendable {
    /// Others use the line still.
    case busy
    /// The key is idle. Neither it nor the line may be let go of under the lock.
    case idle(StableKey<Key>, KeyedLine)
    /// The same, and no key is busy any more: these callers of `drain` may go.
    case allIdle(StableKey<Key>, KeyedLine, [Waiter])
  }

  /// A user is done with the line.
  @inlinable
  package mutating func leave(_ line: KeyedLine) -> Leaving {
    line.users -= 1
    if line.users > 0 { return .busy }
    // The table's own instance of the key, which is not to end here.
    let (key, _) = lines.remove(at: lines.index(of: line, for: line.key!)!)
    line.key = nil
    if spares.count < Self.mostSpares { spares.append(line) }
    lines.shrinkIfSparse()
    defer { checkInvariants() }
    if drainers.isEmpty || !lines.isEmpty { return .idle(key, line) }
    let leaving = drainers.removeAll()
    for waiter in leaving { waiter.state = .granted }
    return .allIdle(key, line, leaving)
  }
}

// MARK: - All keys at once

/// Each returns the lines to which the same is to be done: those in use, and the spare ones too if keys to come are
/// meant. Lines that are made later find it in the table.
extension KeyedLineTable {
  package mutating func pause() -> [KeyedLine] {
    isPaused = true
    return all
  }

  package mutating func resume() -> [KeyedLine] {
    isPaused = false
    return all
  }

  package mutating func close() -> [KeyedLine] {
    isClosed = true
    return all
  }

  /// Uses all lines that are used, so that none is taken from its key; each is to be left again.
  package func holdAll() -> [KeyedLine] {
    for line in lines.values { line.users += 1 }
    return Array(lines.values)
  }

  private var all: [KeyedLine] { Array(lines.values) + spares }

  /// Whether the caller of `drain` has to wait.
  package mutating func awaitIdle(_ waiter: Waiter) -> Bool {
    if lines.isEmpty { return false }
    drainers.append(waiter)
    return true
  }

  /// Every busy key delays a drain of all keys.
  ///
  /// To be carried out all the same where a line goes to another key meanwhile: what it raises is the jobs of the first.
  package func raiseAll(to priority: UInt8) -> [(line: KeyedLine, raise: LineState.Raise)] {
    lines.values.compactMap { line in
      line.state.withLock { $0.raiseAll(to: priority) }.map { (line: line, raise: $0) }
    }
  }

  /// A caller of `drain` was cancelled; returns whether it was still waiting.
  package mutating func leaveDrain(_ waiter: Waiter) -> Bool {
    guard waiter.isWaiting else { return false }
    drainers.remove(waiter)
    waiter.state = .rejected(.cancelled)
    return true
  }
}

// MARK: - Invariants

extension KeyedLineTable {
  /// Traps in debug builds if the state contradicts itself; costs nothing in release.
  @inlinable
  package func checkInvariants() {
    assert(drainers.isEmpty || !lines.isEmpty, "somebody drains, and no key is busy")
    assert(spares.count <= Self.mostSpares, "too many lines are kept")
    assert(spares.last.map { $0.users == 0 && $0.key == nil } ?? true, "a spare line is somebody's")
  }
}
