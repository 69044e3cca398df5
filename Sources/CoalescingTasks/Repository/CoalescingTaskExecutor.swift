/// Wraps a repository: equal reads merge, conflicting writes stay in order, and no read misses an earlier write.
///
/// ```swift
/// let notes = CoalescingTaskExecutor<Key>(name: "notes")
///
/// func all() async throws -> [Note] {
///   try await notes.read(.all) { try await service.fetchNotes() }
/// }
/// func save(_ note: Note) async throws {
///   try await notes.write { try await service.save(note) }
/// }
/// ```
///
/// **Order.** A read touches its key, ``write(touching:name:waitingAtMost:_:)`` the keys that it names, and
/// ``write(name:waitingAtMost:_:)`` every key, even one that was never used. Two jobs conflict if they touch a common key and at
/// least one of them is a write. Conflicting jobs run in the order of their places and never overlap, so neither reads nor writes
/// starve. Other jobs never wait for each other. A call takes its places in one step, on the calling thread, before it first
/// suspends. Exception: calls made inside a job (article *Deadlocks*, *Calls made inside a job*).
///
/// **Merging.** A read joins an earlier one if both have equal keys, result types and error types, *and no write that
/// touches the key stands between them*. Reads with equal keys and different types run side by side. Nothing is cached:
/// after a read, the next one runs its own operation.
///
/// **Reentrancy.** A turn includes the task of its job and the child tasks that the job awaits. A call inside a turn
/// goes ahead of all jobs that have not begun:
///
/// | call | a key that the turn touches | another key |
/// |---|---|---|
/// | `read` | runs at once, as part of the turn | runs at once, or waits for a running write |
/// | `write` | throws `JobRejection.deadlock(_:)` | runs when the running jobs of its keys have ended |
///
/// If jobs wait for each other's keys, the call that would close the cycle is rejected, and the error names them: `notes[1] →
/// notes[2] → notes[1]`. An unstructured task that a job starts is not part of its turn: it waits like any other caller.
///
/// **Isolation.** The executor is a class, not an actor: any code can call it without a hop.
///
/// **Keys.** `==` runs under a lock and must not call the executor. Reads of a key that is not equal to itself, such as
/// `Double.nan`, are not merged.
///
/// **Lifetime.** The executor may be released while jobs wait: the jobs still run, even if it was paused.
public final class CoalescingTaskExecutor<Key: Hashable & Sendable>: Sendable {
  @usableFromInline package let line: KeyedLine<Key>
  @usableFromInline let reads: Reads<Key>

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The name in events and deadlock errors.
  ///   - capacity: The maximum number of waiting reads and writes. Another job that would have to wait is rejected with
  ///     `JobRejection.full(capacity:)`, also while the executor is paused, except a call made inside a job. A draft
  ///     counts, and a caller that joins a read does not. Traps if less than 1. `nil` means no limit.
  ///   - maximumConcurrentReads: The maximum number of reads that run at the same time. A read inside a job of this
  ///     executor does not count. Traps if less than 1. `nil` means no limit.
  ///   - reportsTurnsLongerThan: As for `SerialTaskExecutor`.
  ///   - clock: Measures times for limits and events.
  ///   - onEvent: See `TaskEvent`.
  @inlinable
  @_semantics("optimize.sil.specialize.generic.never")
  public init(
    name: String? = nil, capacity: Int? = nil, maximumConcurrentReads: Int? = nil,
    reportsTurnsLongerThan: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    Line.check("maximumConcurrentReads", maximumConcurrentReads)
    line = KeyedLine(
      name: name, type: "CoalescingTaskExecutor", capacity: capacity, slots: maximumConcurrentReads, clock: clock,
      turnLimit: reportsTurnsLongerThan, onEvent: onEvent)
    reads = Reads(in: line)
  }

  /// Only this can still end a pause: no job may be lost.
  deinit { line.resume() }

  /// The name given to the executor.
  public var name: String? { line.name }
}

// MARK: - Reading

extension CoalescingTaskExecutor {
  /// Returns the result of this call's operation, or of an equal read with no write between the two.
  ///
  /// Equal keys must mean the same read: the operation runs only if there is none to join.
  ///
  /// - **Order:** by place. The operation starts when every earlier write of the key has ended; other reads may run at
  ///   the same time. The callers of one operation are resumed in order of arrival.
  /// - **Cancellation** of the calling task: *before* the call, nothing starts; *waiting*, for the turn or for the result, the
  ///   caller leaves at once, and the operation continues for the other callers. When the last caller leaves, an operation that
  ///   has not begun never begins, and a *running* one is cancelled and keeps its part of the turn until it has ended.
  /// - **Isolation:** the caller's. The operation runs in a new task, with the task-locals of the first caller, in the
  ///   closure's isolation. The part before its first suspension may run on that caller's thread.
  /// - **Reentrancy:** inside a turn of this executor, the operation runs in the calling task, and is not shared. It
  ///   waits only for a running write of the key.
  /// - **Limit:** with `waitingAtMost`, a caller whose read has not begun when the limit has passed leaves, and is
  ///   rejected with `JobRejection.late`. With `.zero` or less, the call is rejected unless the read runs or can begin
  ///   at once. A running read is not limited. Of calls with a limit, only one that joins a running read can be
  ///   rejected as a deadlock: it waits to the end.
  /// - **Priority:** that of the first caller, unless given. A caller of higher priority raises the operation and the
  ///   jobs ahead of it.
  /// - **Complexity:** O(1) to take a place, to join, to leave and to be granted the turn; O(jobs ahead) for each
  ///   higher priority with which a caller waits, or inside a job of another executor; O(callers) to end.
  ///
  /// - Throws: The operation's error, to all its callers; `CancellationError`; otherwise a `JobRejection`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func read<Value: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil, waitingAtMost limit: Duration? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value {
    try await reads.read(
      key, name: name, priority: priority, waitingAtMost: limit, rejectedAs: JobRejection.untyped, operation)
  }

  /// Reads like ``read(_:name:priority:waitingAtMost:_:)``, but throws the operation's error or what this caller's
  /// `rejectedAs` returns, also for `JobRejection.cancelled`.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func read<Value: Sendable, Failure: Error>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (JobRejection) -> Failure,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await reads.read(key, name: name, priority: priority, waitingAtMost: limit, rejectedAs: rejectedAs, operation)
  }
}
