/// Schedules in which a promise was once broken, by the library or by a bug planted in it, or a model was too strict.
///
/// They run first. A change of a model gives its seeds another meaning; they stay all the same, and cost nothing.
let failedSchedules: [Schedule] = [
  // A copy of a marker that came to lie where the marker had lain was taken for the marker.
  Schedule(model: DeadlockProgramsModel.self, strategy: .random, seed: 814),
  // A caller of a failed prefetch was not found by a log-out, and came again after it.
  Schedule(model: ProgramModel<FlightSubject>.self, strategy: .random, seed: 344),
  // A caller that held a turn while it waited was never released, nor what it had waited for.
  Schedule(model: DeadlockProgramsModel.self, strategy: .pct1, seed: 1),
  // The cycle of a drain of all keys from inside two of them began with the wrong one.
  Schedule(model: DeadlockProgramsModel.self, strategy: .random, seed: 82_204),
  // A read inside a turn was rejected because of a write that had its key, but waited for another one of the turn's.
  Schedule(model: DeadlockProgramsModel.self, strategy: .pct1, seed: 1_417),
  // A submitted read that was withdrawn kept itself and its line in memory.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .pct3, seed: 11),
  // A job that was granted its turn before it had noted when it began to wait, and was put back by a pause, had not waited.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .random, seed: 23_716),
  // A write in a job went before others, and those at the end of the queue counted as raised as high as it.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .pct1, seed: 36_967),
  // A fenced job that was withdrawn while its engine said whether its access still held began all the same.
  Schedule(model: ProgramModel<FencedSubject>.self, strategy: .random, seed: 428),
  // A fenced job began although the line was paused while its engine said whether its access still held.
  Schedule(model: ProgramModel<FencedSubject>.self, strategy: .random, seed: 131_674),
  // A call for every key in a turn of no key was held back by a pause that waited for that turn.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .random, seed: 50_734),
  // In a pause, a job went before another that no running job waited for: the model was too strict.
  Schedule(model: ProgramModel<KeyedSubject>.self, strategy: .pct3, seed: 903_233),
  // A process held a key for a job that waited for its turn on another: it had come, and had its place, before one that came first.
  Schedule(model: FencedProcessesModel.self, strategy: .pct3, seed: 58_205),
  // The same: it had come between the moment at which a job that left asked what came next, and the moment at which it left.
  Schedule(model: FencedProcessesModel.self, strategy: .random, seed: 440_294),
  Schedule(model: FencedProcessesModel.self, strategy: .random, seed: 513_022),
  // A shutdown said that all had ended by itself, although a job was withdrawn that waited for access.
  Schedule(model: ProgramModel<FencedSubject>.self, strategy: .random, seed: 3_000_716),
  // A waiting read whose first caller had left was withdrawn with the one that had joined it: the model was too strict.
  Schedule(model: ProgramModel<RepositorySubject>.self, strategy: .pct2, seed: 55_755),
  // Of two callers that were about to leave, the wrong one was taken for the one that was withdrawn: the model was too strict.
  Schedule(model: ProgramModel<RenewalSubject>.self, strategy: .random, seed: 947_022_362),
  // A call in a turn began a pause and was rejected, and a job began before its task went on: the model was too strict.
  Schedule(model: FocusedModel<PausePrograms>.self, strategy: .random, seed: 964_000_782),
  // A call in a turn that was rejected at once counted as one that delays what is ready for a slot: the model was too strict.
  Schedule(model: ProgramModel<KeyedSubject>.self, strategy: .random, seed: 1_219_032_520),
]
