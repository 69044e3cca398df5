/// Checks once where, in the running process, a child task and a copy of a task find a task-local of their parent.
///
/// It does not wait: it is the executor of its tasks, which run nested, on the calling thread.
package final class ProbeCheck: TaskExecutor {
  private let probe: @Sendable (TaskLocal<TurnMarker>) -> UnsafeRawPointer?
  private let key = TaskLocal(wrappedValue: TurnMarker.ofNoTurn)
  /// Where each look found the marker; zero if nowhere.
  private let found = Lock<[UInt]>([])

  package init(_ probe: @escaping @Sendable (TaskLocal<TurnMarker>) -> UnsafeRawPointer?) { self.probe = probe }

  package func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

  package var isRight: Bool {
    Task(executorPreference: self) { await self.lookInEachTask() }
    let found = found.withLock { $0 }
    // Fewer: a task did not run in place.
    guard found.count == 5 else { return false }
    let (parent, copy) = (found[0], found[3])
    return parent != 0 && copy != 0 && copy != parent && found[1] == parent && found[2] == parent && found[4] == parent
  }

  private func lookInEachTask() async {
    await key.withValue(.ofNoTurn) {
      look()
      await lookInChild(andInItsChild: true)
      Task(executorPreference: self) { self.look() }
      look()
    }
  }

  private func lookInChild(andInItsChild goesOn: Bool) async {
    await withTaskGroup { group in
      group.addTask(executorPreference: self) {
        self.look()
        if goesOn { await self.lookInChild(andInItsChild: false) }
      }
    }
  }

  private func look() {
    let address = UInt(bitPattern: probe(key))
    found.withLock { $0.append(address) }
  }
}
