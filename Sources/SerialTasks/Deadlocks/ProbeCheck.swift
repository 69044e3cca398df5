/// Checks where, in the running process, a child task and a copy of a task find a task-local of their parent.
///
/// It does not wait: the tasks run nested, on the calling thread.
package struct ProbeCheck {
  private final class InPlace: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private enum Looker { case parent, child, grandchild, copy, parentAgain }

  /// Where each found the marker; zero if nowhere.
  private final class Looks: Sendable {
    private let found = Lock<[Looker: UInt]>([:])

    func note(_ looker: Looker, _ address: UnsafeRawPointer?) {
      let address = UInt(bitPattern: address)
      found.withLock { $0[looker] = address }
    }

    subscript(looker: Looker) -> UInt { found.withLock { $0[looker] } ?? 0 }
  }

  private let probe: @Sendable (TaskLocal<TurnMarker>) -> UnsafeRawPointer?

  package init(_ probe: @escaping @Sendable (TaskLocal<TurnMarker>) -> UnsafeRawPointer?) { self.probe = probe }

  package var isRight: Bool {
    let looks = Looks()
    Task(executorPreference: InPlace()) { await look(looks) }
    // Zero: the task did not run in place.
    let (parent, copy) = (looks[.parent], looks[.copy])
    return parent != 0 && copy != 0 && copy != parent
      && [.child, .grandchild, .parentAgain].allSatisfy { looks[$0] == parent }
  }

  private func look(_ looks: Looks) async {
    let (key, executor) = (TaskLocal(wrappedValue: TurnMarker.ofNoTurn), InPlace())
    await key.withValue(.ofNoTurn) {
      looks.note(.parent, probe(key))
      await withTaskGroup { group in
        group.addTask(executorPreference: executor) {
          looks.note(.child, probe(key))
          await withTaskGroup { group in
            group.addTask(executorPreference: executor) { looks.note(.grandchild, probe(key)) }
          }
        }
      }
      Task(executorPreference: executor) { looks.note(.copy, probe(key)) }
      looks.note(.parentAgain, probe(key))
    }
  }
}
