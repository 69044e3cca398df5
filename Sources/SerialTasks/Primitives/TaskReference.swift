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
    // Safe because `UnsafeCurrentTask` is one reference to the task, as its size (checked) says; it is read, not copied.
    let address = withUnsafeCurrentTask { task in
      withUnsafeBytes(of: task) { bytes in bytes.count == MemoryLayout<UInt>.size ? bytes.load(as: UInt.self) : 0 }
    }
    return TaskReference(word: address)
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

  /// Whether the task was cancelled, which must not have ended.
  var isCancelled: Bool { task.isCancelled }

  /// Cancels the task, which must not have ended.
  func cancel() { task.cancel() }

  /// Safe because the value was read out of an `UnsafeCurrentTask`, and the caller vouches that its task is alive.
  private var task: UnsafeCurrentTask { unsafeBitCast(address, to: UnsafeCurrentTask.self) }
}

extension Task where Success == Void, Failure == Never {
  /// Raises the task where the system can.
  @usableFromInline
  func escalate(to priority: UInt8) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    escalatePriority(to: TaskPriority(rawValue: priority))
  }
}
