/// The start of each running turn, to report how long it ran.
package struct EventTimes: Sendable {
  package struct Begun: Sendable {
    package let executor: String
    let keys: (any KeyNames)?
    package let job: String?
    package let began: Duration
    package let waited: Duration

    package init(executor: String, keys: (any KeyNames)? = nil, job: String?, began: Duration, waited: Duration) {
      self.executor = executor
      self.keys = keys
      self.job = job
      self.began = began
      self.waited = waited
    }
  }

  private var turns: [UInt64: Begun] = [:]
  private var unreported: Set<UInt64> = []
  /// In the order in which they began, some of them ended.
  private var order: [UInt64] = []
  package private(set) var isWatched = false
  private let limit: Duration?

  package init(limit: Duration? = nil) { self.limit = limit }

  /// Returns when to check the turn, if no task sleeps for that yet.
  package mutating func begin(_ place: UInt64, _ turn: Begun) -> Duration? {
    turns[place] = turn
    guard let limit else { return nil }
    unreported.insert(place)
    order.append(place)
    if order.count > 2 * unreported.count + 64 { order.removeAll { !unreported.contains($0) } }
    defer { isWatched = true }
    return isWatched ? nil : turn.began + limit
  }

  package mutating func end(_ place: UInt64) -> Begun? {
    unreported.remove(place)
    return turns.removeValue(forKey: place)
  }

  package func turn(at place: UInt64) -> Begun? { turns[place] }

  /// Returns each turn that is too long once, in order; and when to check again.
  package mutating func takeOverdue(at now: Duration) -> (overdue: [(place: UInt64, turn: Begun)], next: Duration?) {
    guard let limit else { return ([], nil) }
    var (overdue, next, seen): ([(UInt64, Begun)], Duration?, Int) = ([], nil, 0)
    for place in order {
      if unreported.contains(place), let turn = turns[place] {
        guard turn.began + limit <= now else {
          next = turn.began + limit
          break
        }
        unreported.remove(place)
        overdue.append((place, turn))
      }
      seen += 1
    }
    order.removeFirst(seen)
    isWatched = next != nil
    return (overdue, next)
  }

  /// Stops the checks until another turn begins: the clock cannot be trusted.
  package mutating func stopWatching() { isWatched = false }
}
