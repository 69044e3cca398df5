/// A caller's own task, known by its address and not retained.
///
/// Retaining it would cost two atomic operations on the free line and would not help: an `async let` task lives in its
/// parent's memory, whatever its reference count. ``EscalationPin`` ensures that the task exists when it is raised or
/// cancelled.
@usableFromInline
package struct TaskReference: @unchecked Sendable {
  // Safe because only `escalate(to:)` and `cancel()` follow the address, and document when.

  /// A pointer: an optional reference takes no extra space.
  private let address: UnsafeRawPointer

  /// The current task.
  ///
  /// `_getCurrentAsyncTask()` is a public function of the standard library. The runtime returns its reference
  /// unretained although the declaration says retained. `passRetained` makes up for that, as `withUnsafeCurrentTask`
  /// does. In a runtime that retained it, tasks would stay in memory, and nothing else would change.
  @usableFromInline package static var current: TaskReference? {
    guard let task = _getCurrentAsyncTask() else { return nil }
    return TaskReference(
      word: UInt(bitPattern: Unmanaged.passRetained(unsafeBitCast(task, to: AnyObject.self)).toOpaque()))
  }

  /// The running task, in an async function.
  ///
  /// Safe because async functions always run in a task.
  @usableFromInline static var running: TaskReference { current.unsafelyUnwrapped }

  /// The address as a number; 0 means no task.
  var word: UInt { UInt(bitPattern: address) }

  init?(word: UInt) {
    guard let address = UnsafeRawPointer(bitPattern: word) else { return nil }
    self.address = address
  }

  /// Raises the task to the priority if it is lower; the task must not have ended.
  func escalate(to priority: UInt8) {
    withTask { $0.task.escalate(to: priority) }
  }

  /// Whether the task was cancelled; `Task.isCancelled` also considers cancellation shields; the task must not have ended.
  @usableFromInline var isCancelled: Bool {
    withTask { $0.task.isCancelled }
  }

  /// Whether the running task was cancelled, and no shield hides that.
  @usableFromInline var hasToLeave: Bool { isCancelled && Task<Never, Never>.isCancelled }

  /// Whether `UnsafeCurrentTask`, which is not frozen, is the single word that ``priority`` reads.
  private static var isPriorityKnown: Bool {
    #if SERIALTASKS_NO_PROBE
      false
    #else
      MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UInt>.size
    #endif
  }

  /// The task's current priority, or the lowest if it is not known; the task must not have ended.
  var priority: UInt8 {
    guard TaskReference.isPriorityKnown else { return 0 }
    // Safe because that is one reference to the task, as `TaskReferenceTests` checks, and it is read, not retained.
    return unsafeBitCast(address, to: UnsafeCurrentTask.self).priority.rawValue
  }

  /// The priority of the running task, which is always known.
  var ownPriority: UInt8 { TaskReference.isPriorityKnown ? priority : Task<Never, Never>.currentPriority.rawValue }

  /// Cancels the task; the task must not have ended.
  func cancel() { withTask { $0.task.cancel() } }

  /// Calls the closure with the task, which is read, not copied.
  ///
  /// Safe because `Task` is frozen: one reference to the task.
  @inline(__always)
  private func withTask<Result>(_ body: (borrowing BorrowedTask) -> Result) -> Result {
    withUnsafePointer(to: address) { body(UnsafeRawPointer($0).assumingMemoryBound(to: BorrowedTask.self).pointee) }
  }
}

/// A task that is read without being retained; it cannot be copied, and is read in place.
private struct BorrowedTask: ~Copyable {
  let task: Task<Void, Never>
}

extension Task where Success == Void, Failure == Never {
  @usableFromInline
  package func escalate(to priority: UInt8) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    escalatePriority(to: TaskPriority(rawValue: priority))
  }
}
