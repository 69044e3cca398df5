// The blocks of the article on a service that starts and stops.
import SerialTasks

/// A connection that has to be opened and closed.
protocol Socket: Sendable {
  func close() async
}

enum Services {
  actor Connection {
    private let line = SerialTaskExecutor(name: "connection")
    private let open: @Sendable () async throws -> any Socket
    private(set) var socket: (any Socket)?

    init(open: @escaping @Sendable () async throws -> any Socket) { self.open = open }

    func start() async throws {
      try await line.enqueue(name: "start") { try await connect() }
    }

    func stop() async throws { try await line.enqueue(name: "stop") { await disconnect() } }

    func restart() async throws {
      try await line.enqueue(name: "restart") {  // one turn: nothing gets in between
        await disconnect()
        try await connect()
      }
    }

    private func connect() async throws {
      line.preconditionInJob("connect() is called inside a turn")
      guard socket == nil else { return }  // started already
      socket = try await open()  // if it throws, the next start() tries again
    }

    private func disconnect() async {
      line.preconditionInJob("disconnect() is called inside a turn")
      await socket?.close()
      socket = nil
    }
  }
}
