/// Schedules in which a promise was once broken, by the library or by a bug planted in it, or a model was too strict.
///
/// They run first. A change of a model gives its seeds another meaning; they stay all the same, and cost nothing.
let failedSchedules: [Schedule] = [
  // A copy of a marker that came to lie where the marker had lain was taken for the marker.
  Schedule(model: LineDeadlockModel.self, strategy: .random, seed: 10_754),
  // A joiner that came before the task of a flight was known did not raise it.
  Schedule(model: FlightJoinModel.self, strategy: .random, seed: 10),
  // An operation began after its flight had been withdrawn.
  Schedule(model: FlightMixModel.self, strategy: .exhaustive, seed: 3, path: [0, 1]),
  // A caller of a failed prefetch started its own operation after a log-out.
  Schedule(model: FlightForgetModel.self, strategy: .random, seed: 6_740),
  // The same, with a key of its own.
  Schedule(model: FlightPrefetchModel.self, strategy: .random, seed: 176),
  // A caller of a failed prefetch was withdrawn before that was reported.
  Schedule(model: FlightPrefetchModel.self, strategy: .random, seed: 5_009_618),
  Schedule(model: FlightForgetModel.self, strategy: .random, seed: 5_086_766),
  // A caller left in the middle of a log-out, which cancels operations last: the model asked too early whether that was done.
  Schedule(model: FlightForgetModel.self, strategy: .random, seed: 918_412),
  // The same where one key was cancelled, and its last caller was rejected before the operation was cancelled.
  Schedule(model: FlightPrefetchModel.self, strategy: .random, seed: 953_538),
  // The same while another key was busy.
  Schedule(model: FlightMixModel.self, strategy: .random, seed: 920_038),
  // A caller that held a turn while it waited was never released, nor what it had waited for.
  Schedule(model: DeadlockProgramsModel.self, strategy: .pct1, seed: 1),
  // The cycle of a drain of all keys from inside two of them began with the wrong one.
  Schedule(model: DeadlockProgramsModel.self, strategy: .random, seed: 82_204),
  // A renewal that a newer one had overtaken was expected to be cancelled by `clear()`: the model was too strict.
  Schedule(model: RenewMixModel.self, strategy: .pct3, seed: 1_151),
  // A renewal was cleared before the call that renewed behind it knew its task: the same.
  Schedule(model: RenewMixModel.self, strategy: .random, seed: 170_990),
  // A read inside a turn was rejected because of a write that had its key, but waited for another one of the turn's.
  Schedule(model: DeadlockProgramsModel.self, strategy: .pct1, seed: 1_417),
  // A read inside a turn waited for a write that had its turn and was put back by a pause, until the end of that.
  Schedule(model: ReadNestedModel.self, strategy: .pct2, seed: 1_305),
  // A submitted read that was withdrawn kept itself and its line in memory.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .pct3, seed: 11),
  // A job that was granted its turn before it had noted when it began to wait, and was put back by a pause, had not waited.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .random, seed: 23_716),
  // A write in a job went before others, and those at the end of the queue counted as raised as high as it.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .pct1, seed: 36_967),
]
