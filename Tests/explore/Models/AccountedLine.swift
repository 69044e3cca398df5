import SerialTasks

/// What a ledger keeps account of: an executor, or one key of an executor that has keys.
enum AccountedLine: Sendable {
  case whole(SerialTaskExecutor)
  case key(KeyedSerialTaskExecutor<String>, String)

  func enqueue(_ name: String, _ job: () async throws -> Int) async throws -> Int {
    switch self {
    case .whole(let executor): try await executor.enqueue(name: name) { try await job() }
    case .key(let executor, let key): try await executor.enqueue(for: key, name: name) { try await job() }
    }
  }

  func submit(
    _ name: String, isDetached: Bool, _ job: @escaping @Sendable () async throws -> Int
  ) -> SubmittedJob<Int, any Error> {
    switch (self, isDetached) {
    case (.whole(let executor), false): executor.submit(name: name, job)
    case (.whole(let executor), true): executor.submitDetached(name: name, job)
    case (.key(let executor, let key), false): executor.submit(for: key, name: name, job)
    case (.key(let executor, let key), true): executor.submitDetached(for: key, name: name, job)
    }
  }

  var snapshot: ExecutorSnapshot {
    switch self {
    case .whole(let executor): executor.snapshot
    case .key(let executor, let key): executor.snapshot(for: key)
    }
  }
}
