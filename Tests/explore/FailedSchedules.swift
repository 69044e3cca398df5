/// Schedules in which a promise was once broken, by the library or by a bug planted in it.
///
/// They run first. A change of a model gives its seeds another meaning; they stay all the same, and cost nothing.
let failedSchedules: [Schedule] = [
  // A copy of a marker that came to lie where the marker had lain was taken for the marker.
  Schedule(model: LineDeadlockModel.self, strategy: .random, seed: 10_754),
  // A drain ended before those who had been withdrawn were told.
  Schedule(model: LineLogOutModel.self, strategy: .random, seed: 1_174),
  // A submitted job that was cancelled before the line knew its task never saw it.
  Schedule(model: LineLogOutModel.self, strategy: .random, seed: 132),
  // Somebody who began to wait for a job just when it ended was never resumed.
  Schedule(model: LineSubmitModel.self, strategy: .random, seed: 8),
]
