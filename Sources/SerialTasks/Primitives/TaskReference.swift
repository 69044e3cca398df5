/// A caller's own task, known by its address and not kept alive: it is raised when a more urgent task waits behind it, and
/// cancelled when its executor is shut down and it does not end in time.
///
/// Retaining it would cost two atomic operations on the free line and would not help: an `async let` task lives in its
/// parent's memory, whatever its reference count. ``EscalationPin`` sees to it that the task is there when it is raised or
/// cancelled.
@usableFromInline
package struct TaskReference: @unchecked Sendable {
  // Safe because the address is only followed by `escalate(to:)` and `cancel()`, which say when.

  /// A pointer, so that none takes no room of its own.
  private let address: UnsafeRawPointer

  /// The task that runs now.
  @usableFromInline static var current: TaskReference? {
    // Safe because `UnsafeCurrentTask` is one reference to the task, as `checkLayout()` and `TaskReferenceTests` see to; it is read,
    // not copied. To ask its size here would take longer than to find the task.
    let address = withUnsafeCurrentTask { task in
      withUnsafePointer(to: task) { UnsafeRawPointer($0).load(as: UInt.self) }
    }
    return TaskReference(word: address)
  }

  /// Stops the program in a runtime whose `UnsafeCurrentTask` is not the one word that ``current`` reads.
  static func checkLayout() {
    precondition(
      MemoryLayout<UnsafeCurrentTask>.size == MemoryLayout<UInt>.size,
      "this version of SerialTasks cannot run here: UnsafeCurrentTask is not one word")
  }

  /// The address as a number; 0 is none.
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

  /// Whether the task was cancelled, which must not have ended; `Task.isCancelled` also knows of shields from cancellation.
  @usableFromInline var isCancelled: Bool {
    // Safe because `Task` is one reference to the task, and frozen; it is read, not copied.
    withUnsafePointer(to: address) {
      UnsafeRawPointer($0).assumingMemoryBound(to: BorrowedTask.self).pointee.task.isCancelled
    }
  }

  /// Cancels the task, which must not have ended.
  func cancel() { task.cancel() }

  /// Safe because the value was read out of an `UnsafeCurrentTask`, and the caller vouches that its task is alive.
  private var task: UnsafeCurrentTask { unsafeBitCast(address, to: UnsafeCurrentTask.self) }
}

/// A task that is asked without being retained: what cannot be copied is read in place.
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
