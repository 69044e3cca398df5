// The blocks of the article with the questions of the first week; QuestionTests runs them.
import CoalescingTasks

nonisolated struct Lane: Hashable, Sendable { let account: String, number: Int }

nonisolated final class Paced: Sendable {
  let api: API
  let clock: any Clock<Duration>
  let pace = SerialTaskExecutor(name: "pace")

  init(api: API, clock: any Clock<Duration>) { (self.api, self.clock) = (api, clock) }

  func send(_ order: Int) async throws -> String {
    try await pace.enqueue { try await clock.sleep(for: .seconds(0.1)) }  // ten a second
    return try await api.send(order)
  }
}

nonisolated final class Pages: Sendable {
  let api: API
  let lanes = KeyedSerialTaskExecutor<Lane>(name: "pages")

  init(api: API) { self.api = api }

  func fetch(_ page: Int, for account: String) async throws -> String {
    try await lanes.enqueue(for: Lane(account: account, number: page % 3)) {
      try await api.page(page, of: account)
    }
  }
}

actor Pool {
  let line = SerialTaskExecutor(name: "pool")
  let connect: @Sendable () async throws -> Connection
  private var open: Connection?

  init(connect: @escaping @Sendable () async throws -> Connection) { self.connect = connect }

  func connection() async throws -> Connection {
    try await line.enqueue {
      if let open { return open }
      let new = try await connect()  // later callers wait, and get the same
      open = new
      return new
    }
  }
}

enum QuestionUse {
  static func retried(
    _ line: SerialTaskExecutor, _ clock: any Clock<Duration>, _ send: () async throws -> Void
  ) async throws {
    try await line.enqueue {
      for pause in [Duration.seconds(1), .seconds(5)] {
        do { return try await send() } catch {
          if Task.isCancelled || error is JobRejection { throw error }
          try await clock.sleep(for: pause)  // the others wait, too
        }
      }
      try await send()
    }
  }

  static func stored(
    _ messages: AsyncStream<String>, _ line: SerialTaskExecutor,
    _ store: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    for await message in messages {
      line.submit { try await store(message) }  // in the order of the sequence
    }
    try await line.drain()
  }
}
