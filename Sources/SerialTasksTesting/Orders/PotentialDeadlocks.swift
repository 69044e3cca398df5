import SerialTasks

/// Runs the closure, and returns the deadlocks that could have happened in it, although nothing hung.
///
/// ```swift
/// let found = try await potentialDeadlocks {
///   try await notes.enqueue(name: "save") { try await audit.enqueue {} }
///   try await audit.enqueue(name: "report") { try await notes.enqueue {} }
/// }
/// for deadlock in found { print(deadlock) }  // notes → audit → notes, and what to do
/// ```
///
/// A request is recorded whenever a job or a shared operation requests something while its task holds a turn, whether it has to
/// wait or not: a turn of an executor or of keys, a read or a write, an operation of a `TaskCoalescer`, a load, a renewal, a slot,
/// or the end of a submitted job or of all jobs (`drain`). Requests that form a cycle, and could be made at the same time, are a
/// potential deadlock. Consecutive steps of a test count as if they could overlap.
///
/// **Not a potential deadlock:**
///
/// - Opposite orders of executors that only share a name or a type. The keys of a set have no order: they are taken in one step.
/// - Requests that are only made while the same turn or key is held: they cannot overlap, except in sibling child tasks.
/// - Two reads, unless they are equal, or a write of the key was seen: joining an equal read is waiting for it.
/// - A call with `waitingAtMost`, because its wait ends. Exception: a read that may join one already running.
/// - A wait for one of several slots, unless the holders of all of them were seen to wait: a free one is enough.
/// - An unstructured task (`Task {}`): it holds no turn of the job that started it.
///
/// **What is recorded.** The requests of the closure's own tasks and of all tasks started there while it runs: child
/// tasks, `Task {}`, submitted jobs, and operations; not `Task.detached`. Closures that run at the same time only see
/// their own. If several closures run at once, a job of `submitDetached` is seen by those whose own tasks have already
/// used an executor that it holds or requests. Nested closures hide nothing from the outer one.
///
/// **Limits.** An order enforced by something else, such as a gate, an actor, or a task that awaits another, is not detected: a
/// cycle that cannot close may be reported. These calls return without a request: `value()` of a `RenewingValue` that is valid for
/// longer than `renewAhead`, the result of a submitted read that has ended, and a `drain` that finds nothing to wait for.
///
/// **A deadlock that does happen** is rejected as usual, and also reported here, even if the error is caught. In a job of
/// `submitDetached`, that is only so if the cycle leads through other jobs. To provoke a deadlock unseen, use `Task.detached`.
///
/// - **Order:** potential deadlocks, the shortest first; of equal length, the first one seen. Then those that did happen.
/// - **Isolation:** the caller's, for the closure too.
/// - **Reentrancy:** the call may be made inside a job, and inside another such closure.
/// - **Complexity:** a watched call costs O(turns held × keys), and some locks. The recorder keeps each kind of request
///   once, and each key until the closure has ended.
///
/// - Parameters:
///   - limit: The maximum number of kinds of requests. If there are more, the last element of the result says so.
///   - body: What to watch. Nothing else is slowed down.
/// - Returns: The deadlocks that could have happened.
/// - Throws: The closure's error.
public nonisolated(nonsending) func potentialDeadlocks<Failure: Error>(
  recordingAtMost limit: Int = 10_000, _ body: nonisolated(nonsending) () async throws(Failure) -> Void
) async throws(Failure) -> [PotentialDeadlock] {
  let recorder = OrderRecorder(limit: limit)
  try await recorder.watch(body)
  return recorder.finish()
}
