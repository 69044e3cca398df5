/// What this process asks for, holds and releases: decides what is sent next, and who is told.
///
/// A key is *wanted* (it is to be asked for), then *waiting* (another process has it) or *held*, and then *released*. A value: its
/// owner locks, asks it, unlocks, and does what was decided.
package struct AccessTable {
  package typealias Number = UInt64

  /// How a request for a key ends.
  package enum Outcome: Sendable {
    case granted(Number)
    case failed(PostgresError)
  }

  /// What is sent in one go.
  package struct Batch {
    package var released: [(key: Name, isAwaited: Bool)] = []
    /// And whether their holders are told that they are asked for.
    package var tried: [(key: Name, isSaid: Bool)] = []
    /// Those that are not tried now, because another process is to have its turn.
    package var deferred: [Name] = []

    package var isEmpty: Bool { released.isEmpty && tried.isEmpty && deferred.isEmpty }
  }

  private struct Request {
    let tell: @Sendable (Outcome) -> Void
    /// Since which of all requests it is to be sent; `nil` if it has been.
    var wantedSince: UInt64?
    /// Whether another process has asked meanwhile: its word may arrive before that of the grant.
    var isAwaited = false
    /// When the holder is told again: it may be another one, or have lost its connection meanwhile.
    var isSaidAt: ContinuousClock.Instant?
  }

  private struct Holding {
    var isAwaited = false
    var onAsked: (@Sendable () -> Void)?
  }

  private var requests: [Name: Request] = [:]
  private var lastWanted: UInt64 = 0
  private var held: [Name: Holding] = [:]
  private var released: [Name: Bool] = [:]
  /// Until when another process goes first: at keys that were released because it has asked for them.
  private var yielded: [Name: ContinuousClock.Instant] = [:]

  package init() {}

  package var waiting: Int { requests.count }
  package var listening: Int { held.values.count { $0.onAsked != nil } }
}

// MARK: - Callers

extension AccessTable {
  package mutating func ask(_ key: Name, _ tell: @escaping @Sendable (Outcome) -> Void) {
    requests[key] = Request(tell: tell)
    want(key)
  }

  /// Makes it be sent, behind those that are to be sent already.
  private mutating func want(_ key: Name) {
    guard requests[key]?.wantedSince == nil else { return }
    lastWanted += 1
    requests[key]?.wantedSince = lastWanted
  }

  /// Notes that the caller has left.
  ///
  /// If the key is granted to it after that, it is released at once.
  package mutating func leave(_ key: Name) { requests[key] = nil }

  package mutating func release(_ key: Name, yieldingFor limit: Duration) {
    guard let holding = held.removeValue(forKey: key) else { return }
    released[key] = holding.isAwaited
    if holding.isAwaited { yielded[key] = .now + limit }
  }

  /// Calls the handler once, when another process asks for the key; returns whether one has already.
  package mutating func observe(_ key: Name, _ handler: @escaping @Sendable () -> Void) -> Bool {
    guard let holding = held[key] else { return true }
    held[key]?.onAsked = handler
    return holding.isAwaited
  }
}

// MARK: - The server

extension AccessTable {
  /// Takes what is to be sent, at most so many keys, those first that have waited for that longest; what another process has is
  /// asked for aloud this often.
  package mutating func nextBatch(_ limit: Int, saidEvery pause: Duration) -> Batch {
    var batch = Batch()
    batch.released = released.map { ($0.key, $0.value) }
    released = [:]
    let now = ContinuousClock.now
    yielded = yielded.filter { $0.value > now }
    let wanted = requests.filter { $0.value.wantedSince != nil }
      .sorted { $0.value.wantedSince! < $1.value.wantedSince! }
    for (key, request) in wanted {
      if batch.tried.count >= limit { break }
      requests[key]?.wantedSince = nil
      if yielded[key] != nil {
        batch.deferred.append(key)
      } else {
        let isSaid = request.isSaidAt.map { $0 <= now } ?? true
        if isSaid { requests[key]?.isSaidAt = now + pause }
        batch.tried.append((key, isSaid))
      }
    }
    return batch
  }

  /// Notes that a key was granted; returns who is told, or nothing if that caller has left, and the key is released again.
  package mutating func grant(_ key: Name) -> (@Sendable (Outcome) -> Void)? {
    held[key] = Holding(isAwaited: requests[key]?.isAwaited ?? false)
    if let request = requests.removeValue(forKey: key) { return request.tell }
    held[key] = nil
    released[key] = false
    return nil
  }

  /// Notes that a key could not be asked for; returns who is told.
  package mutating func fail(_ key: Name) -> (@Sendable (Outcome) -> Void)? {
    requests.removeValue(forKey: key)?.tell
  }

  /// Notes that another process asks for a key; returns who is told.
  package mutating func asked(_ key: Name) -> (@Sendable () -> Void)? {
    requests[key]?.isAwaited = true
    held[key]?.isAwaited = true
    return held[key]?.onAsked.take()
  }

  /// Notes that a key may be free; returns whether it is wanted here.
  package mutating func freed(_ key: Name) -> Bool {
    yielded[key] = nil
    guard requests[key] != nil else { return false }
    want(key)
    requests[key]?.isSaidAt = nil
    return true
  }

  /// Makes all that wait ask again: a holder that was killed says nothing.
  package mutating func askAgain() {
    let now = ContinuousClock.now
    for key in requests.keys where yielded[key].map({ $0 <= now }) ?? true { want(key) }
  }

  /// Forgets everything; returns who is told: those that wait, and those that listen whether others ask.
  package mutating func end() -> (waiting: [@Sendable (Outcome) -> Void], listening: [@Sendable () -> Void]) {
    let told = (requests.values.map(\.tell), held.values.compactMap(\.onAsked))
    (requests, held, released, yielded) = ([:], [:], [:], [:])
    return told
  }
}
