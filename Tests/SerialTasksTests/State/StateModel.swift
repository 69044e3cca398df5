import Testing

/// A model of a state that is too simple to be wrong, and says what can happen next.
protocol StateModel {
  associatedtype Event

  var possibleEvents: [Event] { get }
  mutating func apply(_ event: Event)
}

/// A state, driven by the same events.
protocol StateRun: ~Copyable {
  associatedtype Model: StateModel

  mutating func apply(_ event: Model.Event)
  /// The first thing that is not as the model has it.
  func mismatch(with model: Model) -> String?
}

/// Holds a state against its model after each sequence of events up to a length, and returns how many there were.
func explore<Run: StateRun & ~Copyable>(upTo longest: Int, _ model: Run.Model, _ make: () -> Run) -> Int {
  var (explored, mismatches) = (0, 0)
  func explore(_ history: [Run.Model.Event], _ model: Run.Model) {
    var run = make()
    for event in history { run.apply(event) }
    explored += 1
    if let mismatch = run.mismatch(with: model) {
      mismatches += 1
      if mismatches <= 5 { Issue.record("\(history): \(mismatch)") }
      return
    }
    if history.count == longest { return }
    for event in model.possibleEvents {
      var next = model
      next.apply(event)
      explore(history + [event], next)
    }
  }
  explore([], model)
  return explored
}
