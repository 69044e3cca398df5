import SerialTasks

/// Runs the closure, and returns the deadlocks that could have happened in it, though nothing hung.
///
/// ```swift
/// let found = try await potentialDeadlocks {
///   try await notes.enqueue(name: "save") { try await audit.enqueue {} }
///   try await audit.enqueue(name: "report") { try await notes.enqueue {} }
/// }
/// for deadlock in found { print(deadlock) }  // notes → audit → notes, and what to do
/// ```
///
/// An order is noted whenever a job, or an operation that callers share, asks for something while its task holds a turn, whether
/// the call has to wait or not: a turn of an executor or of keys, a read or a write, an operation of a `TaskCoalescer`, a
/// load, a renewal, the end of a submitted job or of all jobs (`drain`), a slot. If such requests form a cycle, and could be
/// made at the same time, they are a potential deadlock. What a test does one after the other counts as if it could happen at the
/// same time.
///
/// **What is no potential deadlock.** Orders are those of executors, not of types, and of keys, not of executors. A set of keys
/// is taken in one step, so there is no order inside it. Requests that are made only while one and the same turn is held, or one
/// and the same key, never meet, unless child tasks make them beside each other in that turn. Reads are in each other's way only if
/// they are equal, and so are one, or if a write was seen that may stand between them. A call with `waitingAtMost` closes no cycle:
/// its wait ends, but that of a read which joins one that has begun. A task that is not structured (`Task {}`) holds no turn of the
/// job that it was started in.
///
/// **What is seen.** What the closure's own tasks do, and all tasks that are started there: child tasks, `Task {}`, submitted jobs,
/// and operations, while the closure runs. So two closures that run at the same time see only their own. `Task.detached` is not
/// seen. A job of `submitDetached` inherits nothing either: it is seen by a closure that runs alone, and by one whose own tasks have
/// used one of the executors before. A closure inside another one hides nothing from it.
///
/// **What is not known.** An order that something else enforces, such as a gate, an actor, or a task that awaits another, is not
/// known: then a cycle may be reported that cannot close. A value of a `RenewingValue` that is valid, and the result of a submitted
/// read that has ended, are returned without a request, and so does a `drain` return that finds nothing to
/// wait for. A deadlock that does happen is rejected as always, and reported here too.
///
/// - **Order:** the shortest first; of those that are as long, the one that was seen first.
/// - **Cancellation** of the calling task: the closure decides.
/// - **Isolation:** the caller's, also that of the closure.
/// - **Reentrancy:** the call may be made inside a job, and inside another such closure.
/// - **Complexity:** a call that is watched costs O(turns held × keys), and some locks. The recorder keeps each kind of request
///   once, however often it is made. It describes each key, and keeps it until the closure has ended.
///
/// - Parameters:
///   - limit: How many kinds of requests are kept at most. If there are more, the last element of the result says so.
///   - body: What to watch. Nothing else pays for it.
/// - Returns: What could have happened; empty if nothing could.
/// - Throws: What the closure throws.
public nonisolated(nonsending) func potentialDeadlocks<Failure: Error>(
  recordingAtMost limit: Int = 10_000, _ body: nonisolated(nonsending) () async throws(Failure) -> Void
) async throws(Failure) -> [PotentialDeadlock] {
  let recorder = OrderRecorder(limit: limit)
  try await recorder.watch(body)
  return recorder.finish()
}
