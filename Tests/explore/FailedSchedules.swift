/// Schedules in which a promise was once broken, by the library or by a bug planted in it.
///
/// They run first. A change of a model gives its seeds another meaning; they stay all the same, and cost nothing.
let failedSchedules: [Schedule] = []
