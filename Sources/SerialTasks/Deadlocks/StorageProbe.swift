/// Returns where the runtime keeps the current task's value of a task-local; `nil` if none is bound.
///
/// Every read of a task-local ends in this entry of the concurrency runtime; the standard library declares it the same way.
/// Safe because the declaration is the runtime's: one pointer in, one pointer out, Swift's calling convention.
@_silgen_name("swift_task_localValueGet")
private func taskLocalValueGet(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer?

/// Tells a task-local that was inherited by linking from one that was copied: by its address.
///
/// | started inside the job | storage is the job's own |
/// |---|---|
/// | same task, `async let`, group child, discarding-group child, a child of those | yes |
/// | a child added while another task-local is bound | yes |
/// | `Task {}`, a child of that task, `Task.immediate`, `Task.detached` | no |
/// | a child added to a group that was opened outside the job | no, nor is a turn seen that its marker hides |
///
/// Measured on Swift 6.3.1; `StorageProbeTests` checks every line of it. It is no promise of the runtime, so each process asks once
/// whether it still holds (``ProbeCheck``). Where it does not, only "same task" is certain.
package enum StorageProbe {
  static func storage(of key: TaskLocal<TurnMarker>) -> UnsafeMutablePointer<TurnMarker>? {
    taskLocalValueGet(UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque()))?
      .assumingMemoryBound(to: TurnMarker.self)
  }

  package static var check: ProbeCheck {
    #if SERIALTASKS_NO_PROBE
      // For tests: a copy finds the marker where its original does, as in a runtime for which the probe is wrong.
      ProbeCheck { _ in UnsafeRawPointer(bitPattern: 1) }
    #else
      ProbeCheck { storage(of: $0).map { UnsafeRawPointer($0) } }
    #endif
  }

  /// Whether the runtime of this process does not tell children from copies.
  ///
  /// Safe because it is written once, by ``isChecked``, before there is anything whose turn could begin: no ``TurnGeneration`` is
  /// handed out before.
  @exclusivity(unchecked) package private(set) nonisolated(unsafe) static var isWrong = false

  /// Asks whether it is, when this is read for the first time.
  static let isChecked: Bool = {
    isWrong = !check.isRight
    return true
  }()
}
