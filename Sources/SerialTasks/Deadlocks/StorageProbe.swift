/// Returns where the runtime stores the current task's value of a task-local; `nil` if none is bound.
///
/// Safe because the standard library declares this function of the runtime the same way.
@_silgen_name("swift_task_localValueGet")
private func taskLocalValueGet(_ key: UnsafeRawPointer) -> UnsafeRawPointer?

/// Distinguishes an inherited task-local from a copied one by its address.
///
/// | started inside the job | storage is the job's own |
/// |---|---|
/// | same task, `async let`, group child, discarding-group child, a child of those | yes |
/// | a child added while another task-local is bound | yes |
/// | `Task {}`, a child of that task, `Task.immediate`, `Task.detached` | no |
/// | a child added to a group that was opened outside the job | no; its marker also hides the outer turn |
///
/// Measured on Swift 6.3.1, and tested by `StorageProbeTests`. The runtime does not promise it, so each process checks
/// it once (``ProbeCheck``). If it is wrong, only the job's own task is certain.
package enum StorageProbe {
  static func storage(of key: TaskLocal<TurnMarker>) -> UnsafePointer<TurnMarker>? {
    taskLocalValueGet(UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque()))?
      .assumingMemoryBound(to: TurnMarker.self)
  }

  package static var check: ProbeCheck {
    #if SERIALTASKS_NO_PROBE
      // For tests: a runtime for which the probe is wrong.
      ProbeCheck { _ in UnsafeRawPointer(bitPattern: 1) }
    #else
      ProbeCheck { storage(of: $0).map { UnsafeRawPointer($0) } }
    #endif
  }

  /// Whether children cannot be distinguished from copies in this process.
  ///
  /// Safe because ``isChecked`` writes it once, before the first ``TurnGeneration`` is handed out.
  @exclusivity(unchecked) package private(set) nonisolated(unsafe) static var isWrong = false

  static let isChecked: Bool = {
    isWrong = !check.isRight
    return true
  }()
}
