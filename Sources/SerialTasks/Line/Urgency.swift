/// The priorities with which jobs wait in a queue, and of each the last place at which one does.
///
/// What is ready when an urgent job comes is raised at once. What stands between is raised when it comes to be ready itself, if its
/// place is before that of the urgent one; so a job is never looked at for one that came before it.
struct Urgency: Sendable {
  /// The higher the priority, the earlier the place.
  private var levels: [(priority: UInt8, upTo: Place)] = []

  var isEmpty: Bool { levels.isEmpty }

  var highest: UInt8 { levels.reduce(0) { max($0, $1.priority) } }

  /// Returns the highest priority that waits at this place or behind it.
  func priority(at place: Place) -> UInt8 { levels.reduce(0) { $1.upTo >= place ? max($0, $1.priority) : $0 } }

  /// Notes that a job of this priority waits at the place; returns whether none has waited with such a one: then what is ready is to be
  /// raised.
  mutating func note(_ priority: UInt8, at place: Place) -> Bool {
    if levels.contains(where: { $0.priority >= priority && $0.upTo >= place }) { return false }
    let isHighest = priority > highest
    levels.removeAll { $0.priority <= priority && $0.upTo <= place }
    levels.append((priority, place))
    return isHighest
  }

  /// Forgets those that waited before the place, which are blocked no more.
  mutating func forget(before place: Place) { levels.removeAll { $0.upTo < place } }
}
