import SerialTasks

/// This library.
struct Library: Submitting, Leavable {
  static let title = "SerialTaskExecutor"
  let executor = SerialTaskExecutor()

  nonisolated(nonsending) func enqueue(_ work: Work) async { try! await executor.enqueue { await work() } }

  static func keyed() -> any Keyed { LibraryWithKeys() }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
    executor.submit {
      await work()
      done()
    }
  }

  func block() { executor.pause() }
  nonisolated(nonsending) func enqueueOrLeave() async { try? await executor.enqueue { await Work.nothing() } }
  var waiting: Int { executor.snapshot.waiting }
}
