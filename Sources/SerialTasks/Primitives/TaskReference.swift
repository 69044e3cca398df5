/// A caller's own task, known by its address and not retained.
///
/// Retaining would cost two atomic operations on the free line, and would not keep an `async let` task, which lives in
/// its parent's memory. ``EscalationPin`` ensures that the task exists when it is raised or cancelled.
@usableFromInline
package struct TaskReference: Sendable {
  /// Followed only while the task has not ended; an optional takes no extra space.
  private let task: Unmanaged<AnyObject & Sendable>

  /// The current task: `_getCurrentAsyncTask()` is public in the standard library.
  ///
  /// The runtime returns its reference unretained, against the declaration; `passRetained` makes up for that, as in
  /// `withUnsafeCurrentTask`. If a runtime retained it, tasks would only stay in memory.
  @usableFromInline package static var current: TaskReference? {
    guard let task = _getCurrentAsyncTask() else { return nil }
    return TaskReference(task: .passRetained(unsafeBitCast(task, to: (AnyObject & Sendable).self)))
  }

  /// Safe because async functions always run in a task.
  @usableFromInline package static var running: TaskReference { current.unsafelyUnwrapped }

  /// Zero for no task.
  package var word: UInt { UInt(bitPattern: task.toOpaque()) }

  private init(task: Unmanaged<AnyObject & Sendable>) { self.task = task }

  init?(word: UInt) {
    guard let address = UnsafeRawPointer(bitPattern: word) else { return nil }
    task = .fromOpaque(address)
  }

  func escalate(to priority: UInt8) {
    withTask { $0.task.escalate(to: priority) }
  }

  /// Whether the task was cancelled, even if a cancellation shield hides that.
  @usableFromInline var isCancelled: Bool {
    withTask { $0.task.isCancelled }
  }

  @usableFromInline var hasToLeave: Bool { isCancelled && Task<Never, Never>.isCancelled }

  /// Whether `UnsafeCurrentTask`, which is not frozen, is the single word that ``priority`` reads.
  private static var isPriorityKnown: Bool {
    #if SERIALTASKS_NO_PROBE
      false
    #else
      MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UInt>.size
    #endif
  }

  /// The lowest if it is not known.
  var priority: UInt8 {
    guard TaskReference.isPriorityKnown else { return 0 }
    // Safe because that word is a reference to the task, as `TaskReferenceTests` checks.
    return borrow(as: UnsafeCurrentTask.self) { $0.task.priority.rawValue }
  }

  /// The running task's priority, which is always known.
  var ownPriority: UInt8 { TaskReference.isPriorityKnown ? priority : Task<Never, Never>.currentPriority.rawValue }

  func cancel() { withTask { $0.task.cancel() } }

  /// Safe because `Task` is frozen: one reference to the task.
  @inline(__always)
  private func withTask<Result>(_ body: (borrowing Borrowed<Task<Void, Never>>) -> Result) -> Result {
    borrow(as: Task<Void, Never>.self, body)
  }

  @inline(__always)
  private func borrow<Handle, Result>(as type: Handle.Type, _ body: (borrowing Borrowed<Handle>) -> Result) -> Result {
    withUnsafePointer(to: task) { body(UnsafeRawPointer($0).assumingMemoryBound(to: Borrowed<Handle>.self).pointee) }
  }
}

/// Read in place, and so not retained.
private struct Borrowed<Handle>: ~Copyable {
  let task: Handle
}

extension Task where Success == Void, Failure == Never {
  @usableFromInline
  package func escalate(to priority: UInt8) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    escalatePriority(to: TaskPriority(rawValue: priority))
  }
}
