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

  func submit(_ name: String, _ job: @escaping @Sendable () async throws -> Int) -> SubmittedJob<Int, any Error> {
    switch self {
    case .whole(let executor): executor.submit(name: name, job)
    case .key(let executor, let key): executor.submit(for: key, name: name, job)
    }
  }

  var snapshot: ExecutorSnapshot {
    switch self {
    case .whole(let executor): executor.snapshot
    case .key(let executor, let key): executor.snapshot(for: key)
    }
  }
}
