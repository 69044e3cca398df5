/// A caller's own task, known by its address and not retained; it is raised when a more urgent task waits behind it, and
/// cancelled by a shutdown.
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
  @usableFromInline static var current: TaskReference? {
    // Safe because `UnsafeCurrentTask` is one reference to the task, as `checkLayout()` and `TaskReferenceTests` check. It
    // is read, not copied. Checking its size here would take longer than finding the task.
    let address = withUnsafeCurrentTask { task in
      withUnsafePointer(to: task) { UnsafeRawPointer($0).load(as: UInt.self) }
    }
    return TaskReference(word: address)
  }

  /// The running task, in an async function.
  ///
  /// Safe because async functions always run in a task.
  @usableFromInline static var running: TaskReference { current.unsafelyUnwrapped }

  /// Stops the program if `UnsafeCurrentTask` is not the single word that ``current`` reads.
  static func checkLayout() {
    precondition(
      MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UInt>.size,
      "this version of SerialTasks cannot run here: UnsafeCurrentTask is not one word")
  }

  /// The address as a number; 0 means no task.
  var word: UInt { UInt(bitPattern: address) }

  init?(word: UInt) {
    guard let address = UnsafeRawPointer(bitPattern: word) else { return nil }
    self.address = address
  }

  /// Raises the task to the priority if it is lower; the task must not have ended.
  func escalate(to priority: UInt8) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    task.escalatePriority(to: TaskPriority(rawValue: priority))
  }

  /// Whether the task was cancelled; `Task.isCancelled` also considers cancellation shields; the task must not have ended.
  @usableFromInline var isCancelled: Bool {
    // Safe because `Task` is one reference to the task, and frozen. It is read, not copied.
    withUnsafePointer(to: address) {
      UnsafeRawPointer($0).assumingMemoryBound(to: BorrowedTask.self).pointee.task.isCancelled
    }
  }

  /// Whether the running task was cancelled, and no shield hides that.
  @usableFromInline var hasToLeave: Bool { isCancelled && Task<Never, Never>.isCancelled }

  /// The task's current priority; the task must not have ended.
  var priority: UInt8 { task.priority.rawValue }

  /// Cancels the task; the task must not have ended.
  func cancel() { task.cancel() }

  /// Safe because the value came from an `UnsafeCurrentTask`, and the caller ensures that the task exists.
  private var task: UnsafeCurrentTask { unsafeBitCast(address, to: UnsafeCurrentTask.self) }
}

/// A task that is read without being retained; it cannot be copied, and is read in place.
private struct BorrowedTask: ~Copyable {
  let task: Task<Void, Never>
}

extension Task where Success == Void, Failure == Never {
  /// Raises the task where the system can.
  @usableFromInline
  package func escalate(to priority: UInt8) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    escalatePriority(to: TaskPriority(rawValue: priority))
  }
}
