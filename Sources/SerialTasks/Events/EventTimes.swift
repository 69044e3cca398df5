/// The start of each running turn, to report how long it ran.
package struct EventTimes: Sendable {
  package struct Begun: Sendable {
    package let place: UInt64
    package let executor: String
    let keys: (any KeyNames)?
    package let job: String?
    package let began: Duration
    package let waited: Duration
  }

  private var turns: [UInt64: Begun] = [:]
  /// The turns that are not reported, in the order in which they began; some have ended.
  private var unreported: [UInt64] = []
  package private(set) var isWatched = false
  private let limit: Duration?

  package init(limit: Duration? = nil) { self.limit = limit }

  /// Returns when to check the turn, if no task sleeps for that yet.
  ///
  /// Not inlined: each report would contain it.
  @inline(never)
  package mutating func begin(
    _ place: UInt64, executor: String, keys: (any KeyNames)? = nil, job: String?, at began: Duration, waited: Duration
  ) -> Duration? {
    turns[place] = Begun(place: place, executor: executor, keys: keys, job: job, began: began, waited: waited)
    guard let limit else { return nil }
    unreported.append(place)
    if unreported.count > 2 * turns.count + 64 { unreported.removeAll { turns[$0] == nil } }
    defer { isWatched = true }
    return isWatched ? nil : began + limit
  }

  package mutating func end(_ place: UInt64) -> Begun? { turns.removeValue(forKey: place) }

  package func turn(at place: UInt64) -> Begun? { turns[place] }

  /// Returns each turn that is too long once, in order; and when to check again.
  ///
  /// If the clock cannot be trusted, the checks stop until another turn begins.
  package mutating func takeOverdue(at now: Duration, goesOn: Bool = true) -> (overdue: [Begun], next: Duration?) {
    guard let limit else { return ([], nil) }
    var (overdue, next, seen): ([Begun], Duration?, Int) = ([], nil, 0)
    for place in unreported {
      if let turn = turns[place] {
        guard turn.began + limit <= now else {
          next = turn.began + limit
          break
        }
        overdue.append(turn)
      }
      seen += 1
    }
    unreported.removeFirst(seen)
    if !goesOn { next = nil }
    isWatched = next != nil
    return (overdue, next)
  }
}
