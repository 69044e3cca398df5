import Postgres
import SerialTasks
import SerialTasksTesting
import Synchronization

/// Connections on which one statement may be late, and with it all that is sent behind it, or all of them.
///
/// A connection loses nothing, repeats nothing and keeps the order, so nothing else can happen to a request of this engine.
final class SlowNetwork: Sendable {
  /// A statement for a lock that is late.
  fileprivate struct Delay: Sendable {
    let key: String
    let sent = Gate()
    let executed = Gate()
  }

  private let delay = Mutex<Delay?>(nil)
  private let silence = Mutex<Gate?>(nil)
  private let sent = Mutex<[String: Int]>([:])

  /// Lets no statement arrive from now on; their time limits do not count.
  func goSilent() { silence.withLock { $0 = Gate() } }
  func speak() { silence.withLock { $0.take() }?.open() }

  /// How often a statement was sent.
  func statements(_ statement: String) -> Int { sent.withLock { $0[statement] ?? 0 } }

  /// How many statements with this in them were sent.
  func statements(with text: String) -> Int {
    sent.withLock { $0.reduce(0) { $0 + ($1.key.contains(text) ? $1.value : 0) } }
  }

  fileprivate func pass(_ statement: String) async {
    sent.withLock { $0[statement, default: 0] += 1 }
    await silence.withLock { $0 }?.pass()
  }

  /// Holds back the next statement that tries to lock a key with this in it; returns what lets it arrive and awaits its end.
  func delay(_ key: String) -> @Sendable () async -> Void {
    let delay = Delay(key: key)
    self.delay.withLock { $0 = delay }
    return {
      await delay.sent.waitForArrivals()
      delay.sent.open()
      await delay.executed.pass()
    }
  }

  fileprivate func takeDelay(of statement: String, _ parameters: [String?]) -> Delay? {
    delay.withLock { delay in
      guard let found = delay, statement.contains("pg_try_advisory_lock"), parameters[0]!.contains(found.key) else {
        return nil
      }
      return delay.take()
    }
  }
}

/// A connection of such a network.
struct SlowLink: PostgresLink {
  let link: any PostgresLink
  let network: SlowNetwork
  /// Statements that wait for one that is late.
  private let order = SerialTaskExecutor()

  init(_ link: any PostgresLink, _ network: SlowNetwork) { (self.link, self.network) = (link, network) }

  func query(_ statement: String, _ parameters: [String?], within limit: Duration) async throws -> [[String?]] {
    await network.pass(statement)
    return try await order.enqueue {
      guard let delay = network.takeDelay(of: statement, parameters) else {
        return try await link.query(statement, parameters, within: limit)
      }
      defer { delay.executed.open() }
      await delay.sent.pass()
      return try await link.query(statement, parameters, within: limit)
    }
  }

  func notifications(within limit: Duration) async throws -> [PostgresNotification] {
    try await link.notifications(within: limit)
  }

  var isOpen: Bool { get async { await link.isOpen } }
  func close() async { await link.close() }
}
