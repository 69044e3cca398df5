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

enum ImpatientServices {
  actor Connection {
    private enum Part: String { case service, starting }

    private let parts = KeyedSerialTaskExecutor<Part>(name: "connection")
    private let open: @Sendable () async throws -> any Socket
    private(set) var socket: (any Socket)?

    init(open: @escaping @Sendable () async throws -> any Socket) { self.open = open }

    func start() async throws {
      try await parts.submit(forAll: [.service, .starting], name: "start") {
        try await self.connect()
      }.value
    }

    func stop() async throws {
      parts.cancelAll(for: .starting)  // every start; not another stop
      try await parts.enqueue(for: .service, name: "stop") { await disconnect() }
    }

    private func connect() async throws {
      guard socket == nil else { return }
      let socket = try await open()
      guard !Task.isCancelled else { return await socket.close() }  // opened all the same
      self.socket = socket
    }

    private func disconnect() async {
      await socket?.close()
      socket = nil
    }
  }
}

enum ServiceMistakes {
  actor Connection {
    let line = SerialTaskExecutor(name: "connection")
    private(set) var isStopped = false

    func start(_ login: @escaping @Sendable () async throws -> Void) async throws {
      try await line.enqueue(name: "start") {
        do {
          try await login()
        } catch {
          try await stop()  // inside the turn of start(): rejected
        }
      }
    }

    func stop() async throws { try await line.enqueue(name: "stop") { isStopped = true } }
  }

  static func printed(_ connection: Connection, _ login: @escaping @Sendable () async throws -> Void) async throws
    -> String?
  {
    var printed: String?
    func print(_ error: DeadlockError) { printed = "\(error)" }
    do {
      try await connection.start(login)
    } catch JobRejection.deadlock(let deadlock) { print(deadlock) }
    return printed
  }
}
