#if !SERIALTASKS_NO_PROBE
  /// Where the runtime keeps the current task's value of a task-local; `nil` if none is bound.
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
  /// Measured on Swift 6.3.1; `StorageProbeTests` checks every line of it. Where it stops holding, build with
  /// `SERIALTASKS_NO_PROBE`: then only "same task" is certain.
  enum StorageProbe {
    static func storage<Value>(of key: TaskLocal<Value>) -> UnsafeMutablePointer<Value>? {
      taskLocalValueGet(UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque()))?.assumingMemoryBound(to: Value.self)
    }
  }
#endif
