import CLibpq
import Dispatch
import Foundation

/// A connection through libpq.
///
/// libpq blocks its thread while it waits, so each link has a thread of its own, and none of the cooperative pool.
package actor LibpqLink: PostgresLink {
  /// Runs the actor's jobs on a queue, on which they may block.
  private final class Queue: SerialExecutor {
    private let queue = DispatchQueue(label: "postgres")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private nonisolated let queue = Queue()
  package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  private var connection: OpaquePointer?

  private init() {}

  /// Connects, with the parameters of libpq, such as `host=10.0.0.1 dbname=bank sslmode=verify-full`.
  package static func connect(_ parameters: String, within limit: Duration) async throws -> LibpqLink {
    let link = LibpqLink()
    try await link.open(parameters, within: limit)
    return link
  }

  private func open(_ parameters: String, within limit: Duration) throws {
    let end = ContinuousClock.now + limit
    guard let connection = PQconnectStart(parameters) else { throw PostgresError.unavailable("out of memory") }
    self.connection = connection
    if PQstatus(connection) == CONNECTION_BAD { throw lost() }
    // Asked before the socket is ready, libpq would give up an address that is refused, and not try the next.
    var state = PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      switch state {
      case PGRES_POLLING_READING: try wait(for: POLLIN, until: end)
      case PGRES_POLLING_WRITING: try wait(for: POLLOUT, until: end)
      default: throw lost()
      }
      state = PQconnectPoll(connection)
    }
    // A warning is no output of this program.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    guard PQsetnonblocking(connection, 1) == 0 else { throw lost() }
    // A database of another encoding is sent the same text.
    try query("SET client_encoding TO 'UTF8'", [], within: max(.milliseconds(1), end - .now))
  }

  package var isOpen: Bool { connection != nil }

  package func close() {
    if let connection { PQfinish(connection) }
    connection = nil
  }

  isolated deinit { if let connection { PQfinish(connection) } }
}

// MARK: - Statements

extension LibpqLink {
  @discardableResult
  package func query(
    _ statement: String, _ parameters: [String?], within limit: Duration
  ) throws -> [[String?]] {
    guard let connection else { throw PostgresError.unavailable("the connection is closed") }
    // For C, the text would end there.
    if parameters.contains(where: { $0?.utf8.contains(0) == true }) {
      throw PostgresError.refused(state: "22021", message: "a parameter has a zero character")
    }
    let end = ContinuousClock.now + limit
    let values = parameters.map { $0.map { strdup($0)! } }
    defer { for value in values { free(value) } }
    let pointers: [UnsafePointer<CChar>?] = values.map { $0.map { UnsafePointer($0) } }
    guard PQsendQueryParams(connection, statement, Int32(pointers.count), nil, pointers, nil, nil, 0) == 1 else {
      throw lost()
    }
    while case let left = PQflush(connection), left != 0 {
      guard left == 1 else { throw lost() }
      // A server that answers meanwhile reads no more until that is taken.
      try wait(for: POLLIN | POLLOUT, until: end)
      guard PQconsumeInput(connection) == 1 else { throw lost() }
    }
    var rows: Result<[[String?]], any Error> = .success([])
    while true {
      while PQisBusy(connection) == 1 {
        try wait(for: POLLIN, until: end)
        guard PQconsumeInput(connection) == 1 else { throw lost() }
      }
      guard let result = PQgetResult(connection) else { break }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK: rows = .success(LibpqLink.rows(result))
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      default: rows = .failure(refusal(result))
      }
    }
    if PQstatus(connection) != CONNECTION_OK { throw lost() }
    return try rows.get()
  }

  private static func rows(_ result: OpaquePointer) -> [[String?]] {
    let columns = PQnfields(result)
    return (0..<PQntuples(result)).map { row in
      (0..<columns).map { column in
        if PQgetisnull(result, row, column) == 1 { return nil }
        return String(cString: PQgetvalue(result, row, column))
      }
    }
  }

  private func refusal(_ result: OpaquePointer) -> PostgresError {
    // PG_DIAG_SQLSTATE, a macro of characters.
    let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
    return .refused(state: state, message: LibpqLink.text(PQresultErrorMessage(result)))
  }

  private static func text(_ message: UnsafeMutablePointer<CChar>?) -> String {
    // One line: it is logged.
    message.map { String(cString: $0) }?.split { $0.isWhitespace }.joined(separator: " ") ?? ""
  }
}

// MARK: - Waiting

extension LibpqLink {
  package func notifications(within limit: Duration) throws -> [PostgresNotification] {
    guard let connection else { throw PostgresError.unavailable("the connection is closed") }
    var found: [PostgresNotification] = []
    func take() {
      while let notification = PQnotifies(connection) {
        defer { PQfreemem(notification) }
        found.append(
          PostgresNotification(
            sender: notification.pointee.be_pid, payload: String(cString: notification.pointee.extra)))
      }
    }
    take()
    if found.isEmpty, try isReady(POLLIN, until: .now + limit) {
      guard PQconsumeInput(connection) == 1 else { throw lost() }
      take()
    }
    return found
  }

  /// Closes the connection, and says why.
  private func lost(_ why: String? = nil) -> PostgresError {
    let message = why ?? connection.map { LibpqLink.text(PQerrorMessage($0)) } ?? "the connection is closed"
    close()
    return .unavailable(message)
  }

  private func wait(for events: Int32, until end: ContinuousClock.Instant) throws {
    if try !isReady(events, until: end) { throw lost("no answer in time") }
  }

  /// Blocks the thread until the socket is ready or the time is over.
  private func isReady(_ events: Int32, until end: ContinuousClock.Instant) throws -> Bool {
    while true {
      let left = max(.zero, end - .now)
      var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
      let ready = poll(&descriptor, 1, Int32(min((left / .milliseconds(1)).rounded(.up), 1e9)))
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { throw lost("poll failed") }
      if left == .zero { return false }
    }
  }
}
