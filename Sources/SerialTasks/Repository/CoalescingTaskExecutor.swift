/// Wraps a repository: duplicate reads merge, writes stay in order, and no read misses a write that was asked for before it.
///
/// ```swift
/// let notes = CoalescingTaskExecutor<Key>(name: "notes")
///
/// func all() async throws -> [Note] { try await notes.read(.all) { try await service.fetchNotes() } }
/// func save(_ note: Note) async throws { try await notes.write { try await service.save(note) } }
/// ```
///
/// **Order.** Reads and writes stand in one line, first in, first out, by the place that a call takes on the calling thread
/// before it first suspends. A write runs alone. Reads that are next to each other run at the same time. A read that comes
/// behind a waiting write waits behind it, so neither starves the other.
///
/// **Merging.** Two reads are one if their keys are equal, they return the same type and throw the same type, *and no write
/// stands between them in the line*: the later one joins the flight of the earlier. So a read that comes after a write reads
/// what it wrote, and never what was on its way before. Reads of equal keys and other types run side by side.
/// Nothing is cached: when a read has ended, the next of its key runs anew.
///
/// **Reentrancy.** In its own turn, which is the same task and the child tasks that it awaits: a read in a write or in a read
/// runs at once, as a part of that turn; a write in a write or in a read would wait for itself, and is turned away with
/// ``JobRejection/deadlock(_:)``. An unstructured task that a job starts is a stranger, and queues.
///
/// **Isolation.** It is a class and not an actor: it is entered from any isolation without a hop, and places can be taken by
/// synchronous code (``submitWrite(name:priority:_:)``).
///
/// **Keys** are compared under a lock, so `==` must not call the executor. Reads of a key that is not equal to itself, such as
/// `Double.nan`, are not merged.
///
/// It may be let go while jobs wait: what holds them lives until they are settled. If it was paused, they run.
public final class CoalescingTaskExecutor<Key: Hashable & Sendable>: Sendable {
  @usableFromInline let reading: ReadWriteLine<Key>

  @inlinable var line: Line { reading.line }

  /// Makes an executor.
  ///
  /// - Parameters:
  ///   - name: What events and deadlocks call it.
  ///   - maximumConcurrentReads: Most reads that run at the same time; 1 is one at a time. At least 1, or this traps. `nil`,
  ///     the default, is no limit.
  ///   - capacity: Most jobs that may wait, writes and reads together; one more is rejected ``JobRejection/full(capacity:)``.
  ///     A caller that joins a read is no job. At least 1, or this traps. `nil`, the default, is no limit.
  ///   - onEvent: Called for what happens to each job; see ``TaskEvent`` for when and where.
  public init(
    name: String? = nil, maximumConcurrentReads: Int? = nil, capacity: Int? = nil,
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil
  ) {
    reading = ReadWriteLine(name: name, limit: maximumConcurrentReads, capacity: capacity, onEvent: onEvent)
  }

  /// Nobody is left who could end a pause, and no job is to be lost.
  deinit { reading.line.resume() }

  /// The name given to the executor.
  public var name: String? { reading.line.name }
}

// MARK: - Reading

extension CoalescingTaskExecutor {
  /// Returns what the operation returns: that of this call, or that of an equal read with no write between the two.
  ///
  /// - **Order:** by place. The operation starts when every write before it has ended; reads beside it may run at the same
  ///   time. Those who wait for one operation are resumed in the order in which they came.
  /// - **Cancellation** of the calling task: *before* the call, nothing is started; *waiting*, for its turn or for the result,
  ///   the caller leaves at once, and the operation goes on for the others. When the last has left, an operation that has not
  ///   begun never does, and one that runs is cancelled and keeps its part of the turn until it has ended.
  /// - **Isolation:** the caller's. The operation runs in a task of its own, with the task-locals of the call that came first,
  ///   in the closure's isolation; what it does before its first suspension may run on that caller's thread.
  /// - **Reentrancy:** inside a turn of this executor the operation runs at once, in the calling task, and is not shared.
  /// - **Complexity:** O(1) to take a place, to join, to leave and to be granted the turn; O(callers) to end.
  ///
  /// - Parameters:
  ///   - key: What is read. Two reads of one key must be the same read.
  ///   - name: What events call the read, and the name of its task.
  ///   - priority: The priority of the operation if this call is the first; `nil` is the caller's. A caller that is more
  ///     urgent raises it and what is ahead of it.
  ///   - operation: Reads, if nobody does.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, to all who wait for it; `CancellationError` if the caller's task was cancelled;
  ///   otherwise a ``JobRejection``.
  @inlinable
  public nonisolated(nonsending) func read<Value: Sendable>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws -> Value
  ) async throws -> Value {
    try await read(key, name: name, priority: priority, rejectedAs: JobRejection.untyped, operation)
  }

  /// The same with exactly typed errors: a rejection is mapped into the caller's own error type.
  ///
  /// Every caller maps its own rejection; an error of the operation reaches all of them as it is. Like
  /// ``read(_:name:priority:_:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - key: What is read. Two reads of one key must be the same read.
  ///   - name: What events call the read, and the name of its task.
  ///   - priority: The priority of the operation if this call is the first; `nil` is the caller's.
  ///   - rejectedAs: Makes the error for a caller that was turned away, ``JobRejection/cancelled`` included.
  ///   - operation: Reads, if nobody does.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw, unchanged, or what `rejectedAs` returned.
  @inlinable
  public nonisolated(nonsending) func read<Value: Sendable, Failure: Error>(
    _ key: Key, name: String? = nil, priority: TaskPriority? = nil, rejectedAs: (JobRejection) -> Failure,
    @_inheritActorContext _ operation: sending @escaping @isolated(any) () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if Task.isCancelled {
      line.report(.rejected(.cancelled), name, nil)
      throw rejectedAs(.cancelled)
    }
    if HeldTurn.innermost != nil, HeldTurn.isInside(line) { return try await operation() }
    return try await reading.read(key, name: name, priority: priority, rejectedAs: rejectedAs, operation)
  }
}
