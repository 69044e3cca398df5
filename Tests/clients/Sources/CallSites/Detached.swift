// Jobs without a task while they wait, as their users write it: every line must compile, without a warning, in each CLIENT_MODE.
import SerialTasks

private actor Outbox {
  private let queue = SerialTaskExecutor(name: "outbox")
  private let perUser = KeyedSerialTaskExecutor<String>(name: "outboxes")
  private var sent = 0

  /// The closure inherits nothing: it says whose it is.
  nonisolated func send(_ notes: [Int]) {
    for note in notes { queue.submitDetached { await self.deliver(note) } }
    perUser.submitDetached(for: "ann", name: "hello", priority: .utility) { await self.deliver(0) }
  }

  private func deliver(_ note: Int) { sent += note }

  func logOut() async throws {
    queue.cancelAll()
    try await queue.drain()
  }
}

func detached() async throws {
  let executor = SerialTaskExecutor()
  let job = executor.submitDetached(name: "ship") { "shipped" }
  job.whenComplete { result in print(result) }
  print(try await job.value, job.isCancelled)
  job.cancel()
}
