/// Wraps a repository: duplicate reads merge, writes that conflict stay in order, and no read misses a write requested before
/// it.
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
/// **Order.** A read touches its key. ``write(touching:name:waitingAtMost:_:)`` touches the keys that it names, and
/// ``write(name:waitingAtMost:_:)`` touches every key, also one that was never used. Two jobs conflict if they touch a common
/// key and are not both reads. Jobs that conflict run in the order of their places and never at the same time; jobs that do not
/// conflict never wait for each other. A call inside a job goes before a write of every key that waits for that job, and a read
/// of a key of the job before all that wait. A call takes its places on the calling thread, all in one step, before it first
/// suspends. A read that arrives behind a waiting write of its key waits behind it, so neither starves the other.
///
/// **Merging.** Two reads are one if their keys are equal, if they return the same type and throw the same type, *and if no
/// write that touches their key stands between them*: the later read then joins the flight of the earlier one. So a read that
/// is requested after a write reads what the write wrote, and never receives the result of a read that was already under way
/// before the write. Reads with equal keys and different types run side by side. Nothing is cached: when a read has ended, the
/// next read of its key runs anew.
///
/// **Reentrancy.** A turn includes the task of its job and the child tasks that the job awaits. Inside a turn, a read runs
/// at once as part of that turn, whether the turn is that of a write or of a read; it only waits for a write of its key that is
/// running. A write of a key that the turn touches would wait for itself, and is rejected with ``JobRejection/deadlock(_:)``; a
/// write of other keys waits for its places. Of jobs that wait for each other's keys, the one that closes the cycle is
/// rejected, and the error names the keys: `notes[1] → notes[2] → notes[1]`. An unstructured task that a job starts is not part
/// of the turn: it waits in line like any other caller.
///
/// **Isolation.** The executor is a class and not an actor: it can be called from any isolation without a hop, and
/// synchronous code can take places too (``submitWrite(name:priority:_:)``, ``submitRead(_:name:priority:_:)``).
///
/// **Keys** are compared under a lock, so `==` must not call the executor. Reads of a key that is not equal to itself, such
/// as `Double.nan`, are not merged.
///
/// The executor may be released while jobs wait: what they need stays alive until they are settled. If it was paused, the
/// jobs run.
public final class CoalescingTaskExecutor<Key: Hashable & Sendable>: Sendable {
  @usableFromInline package let line: KeyedLine<Key>
  @usableFromInline let reads: Reads<Key>

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - name: The executor's name in events and deadlock errors.
  ///   - capacity: The maximum number of waiting jobs, writes and reads together. A further job that would have to wait is
  ///     rejected with ``JobRejection/full(capacity:)``. A caller that joins a read is not a job. Must be at least 1, or this
  ///     initializer traps. `nil`, the default, means no limit.
  ///   - maximumConcurrentReads: The maximum number of reads that run at the same time; 1 means one at a time. A read inside a
  ///     job of this executor is a part of that job and is not counted. Must be at least 1, or this initializer traps. `nil`,
  ///     the default, means no limit.
  ///   - reportsTurnsLongerThan: A turn that is held for longer is reported to `onEvent` once, as
  ///     ``TaskEvent/Kind/heldTooLong(waiting:startedInTurn:)``. Must be positive, or this initializer traps. `nil`, the
  ///     default, means no limit, and sets no timer.
  ///   - clock: Measures how long jobs wait and run, for limits and events.
  ///   - onEvent: Called for what happens to each job; see ``TaskEvent`` for when and where.
  @inlinable
  public init(
    name: String? = nil, capacity: Int? = nil, maximumConcurrentReads: Int? = nil,
    reportsTurnsLongerThan: Duration? = nil,
    clock: some Clock<Duration> = ContinuousClock(), onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    // Not a precondition: those say nothing in release builds.
    if let limit = maximumConcurrentReads, limit < 1 {
      fatalError("maximumConcurrentReads must be at least 1, and is \(limit)")
    }
    line = KeyedLine(
      name: name, type: .coalescingTaskExecutor, capacity: capacity, slots: maximumConcurrentReads, clock: clock,
      turnLimit: reportsTurnsLongerThan, onEvent: onEvent)
    reads = Reads(in: line)
  }

  /// Resumes the executor: nothing else can end a pause any more, and no job may be lost.
  deinit { line.resume() }

  /// The name given to the executor.
  public var name: String? { line.name }
}

// MARK: - Reading

extension CoalescingTaskExecutor {
  /// Returns what the operation returns: this call's own, or that of an equal read with no write between the two.
  ///
  /// - **Order:** by place. The operation starts when every write before it that touches the key has ended; other reads may run
  ///   at the same time. The callers of one operation are resumed in the order in which they arrived.
  /// - **Cancellation** of the calling task: *before* the call, nothing is started; *waiting*, for the turn or for the
  ///   result, the caller leaves at once, and the operation continues for the other callers. When the last caller has left,
  ///   an operation that has not begun never begins, and one that is *running* is cancelled and keeps its part of the turn
  ///   until it has ended.
  /// - **Isolation:** the caller's. The operation runs in a task of its own, with the task-locals of the first caller, in
  ///   the closure's isolation. The part before its first suspension may run on that caller's thread.
  /// - **Reentrancy:** inside a turn of this executor, the operation runs at once, in the calling task, and is not shared. If a
  ///   write of the key is running, the call waits for that.
  /// - **Limit:** with `waitingAtMost`, a caller whose read has not begun when the limit has passed leaves as if it were
  ///   cancelled, and is rejected with ``JobRejection/late``; the read goes on for its other callers. A read that has begun, or
  ///   that was running when this call joined it, is not limited. Only a call that joins a read that has begun is rejected as a
  ///   deadlock: it waits to the end. There is no timer unless the call has to wait; then one sleeping task serves all limits
  ///   of the executor.
  /// - **Complexity:** O(1) to take a place, to join, to leave and to be granted the turn; O(jobs ahead) for each higher
  ///   priority with which a caller waits, or from inside a job of another executor; O(callers) to end.
  ///
  /// - Parameters:
  ///   - key: Identifies what is read. Two reads with equal keys must be the same read.
  ///   - name: The read's name in events, and the name of its task.
  ///   - priority: The priority of the operation if this is the first call; `nil` means the caller's. A caller of higher
  ///     priority raises the operation and the jobs ahead of it.
  ///   - limit: How long the call may wait for the read to begin, on the executor's clock. `.zero` or less means that the call
  ///     is rejected unless the read runs or can begin at once. `nil`, the default, means no limit.
  ///   - operation: Performs the read, unless there is a read to join.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, to all its callers; `CancellationError` if the caller's task was cancelled;
  ///   otherwise a ``JobRejection``.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func read<Value: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil, waitingAtMost limit: Duration? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value {
    try await reads.read(
      key, name: name, priority: priority, waitingAtMost: limit, rejectedAs: JobRejection.untyped, operation)
  }

  /// Returns what the operation returns, with exactly typed errors.
  ///
  /// A rejection is mapped to the caller's own error type. Every caller maps its own rejection; an error of the operation
  /// reaches all callers unchanged. Like ``read(_:name:priority:waitingAtMost:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: Identifies what is read. Two reads with equal keys must be the same read.
  ///   - name: The read's name in events, and the name of its task.
  ///   - priority: The priority of the operation if this is the first call; `nil` means the caller's.
  ///   - limit: How long the call may wait for the read to begin, on the executor's clock; `nil` means no limit.
  ///   - rejectedAs: Returns the error for a rejected caller; called for ``JobRejection/cancelled`` as well.
  ///   - operation: Performs the read, unless there is a read to join.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, unchanged, or what `rejectedAs` returned.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func read<Value: Sendable, Failure: Error>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil, waitingAtMost limit: Duration? = nil,
    rejectedAs: (JobRejection) -> Failure,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await reads.read(key, name: name, priority: priority, waitingAtMost: limit, rejectedAs: rejectedAs, operation)
  }
}
