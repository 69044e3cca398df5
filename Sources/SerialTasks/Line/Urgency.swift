/// The priorities of waiting jobs in a queue, each with the last place at which a job has it.
///
/// So an urgent job that arrives need not inspect the jobs between the ready ones and itself.
struct Urgency: Sendable {
  /// The higher the priority, the earlier the place.
  private var levels: [(priority: UInt8, upTo: Place)] = []

  var isEmpty: Bool { levels.isEmpty }

  var highest: UInt8 { levels.reduce(0) { max($0, $1.priority) } }

  /// Returns the highest priority at this place or behind it.
  func priority(at place: Place) -> UInt8 { levels.reduce(0) { $1.upTo >= place ? max($0, $1.priority) : $0 } }

  /// Returns whether ready jobs must be raised, because no other waiting job is as urgent.
  mutating func note(_ priority: UInt8, at place: Place) -> Bool {
    if levels.contains(where: { $0.priority >= priority && $0.upTo >= place }) { return false }
    let isHighest = priority > highest
    levels.removeAll { $0.priority <= priority && $0.upTo <= place }
    levels.append((priority, place))
    return isHighest
  }

  mutating func forget(before place: Place) { levels.removeAll { $0.upTo < place } }
}
