/// Checks, in the running process, where a child task and a copy of a task find a task-local of their parent.
///
/// It does not wait: the tasks run nested, on the calling thread.
package struct ProbeCheck {
  private final class InPlace: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private enum Looker { case parent, child, grandchild, copy, parentAgain }

  /// The addresses at which the tasks found the marker; 0 if nowhere.
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

  /// Whether children find the marker where their parent does, and a copy finds it elsewhere.
  package var isRight: Bool {
    let looks = Looks()
    Task(executorPreference: InPlace()) { await look(looks) }
    // A task that did not run in place has not stored an address.
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
