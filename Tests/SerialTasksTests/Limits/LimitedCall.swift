import CoalescingTasks
import SerialTasksTesting

/// A call that has a limit on waiting, in each of the ways in which there is one.
enum LimitedCall: CaseIterable, Sendable {
  case job, jobOfKey, jobOfKeys, write, writeTouching, read, joinedRead
}

/// An executor on which such calls can be made, with a clock of the test's own.
struct LimitedExecutor: Sendable {
  let call: LimitedCall
  let clock = ManualClock()
  private let serial: SerialTaskExecutor
  private let keyed: KeyedSerialTaskExecutor<Int>
  private let repository: CoalescingTaskExecutor<Int>

  init(_ call: LimitedCall) {
    self.call = call
    serial = SerialTaskExecutor(name: "serial", clock: clock, onEvent: { _ in })
    keyed = KeyedSerialTaskExecutor(name: "keyed", clock: clock, onEvent: { _ in })
    repository = CoalescingTaskExecutor(name: "repository", clock: clock, onEvent: { _ in })
  }

  var waiting: Int { serial.snapshot.waiting + keyed.snapshot.waiting + repository.snapshot.waiting }
  var isRunning: Bool {
    serial.snapshot.running > 0 || keyed.snapshot.running > 0 || repository.snapshot.running > 0
  }

  /// Runs a job that every call of this kind has to wait for.
  func hold(_ job: @escaping @Sendable () async throws -> Void) async throws {
    switch call {
    case .job: try await serial.enqueue(name: "holder", job)
    case .jobOfKey, .jobOfKeys: try await keyed.enqueue(for: 1, name: "holder", job)
    case .write, .writeTouching, .read, .joinedRead: try await repository.write(touching: [1], name: "holder", job)
    }
  }

  /// Makes the call; a read that is to be joined must be there.
  func perform(_ limit: Duration, _ job: @escaping @Sendable () async throws -> Int) async throws -> Int {
    switch call {
    case .job: try await serial.enqueue(name: "call", waitingAtMost: limit, job)
    case .jobOfKey: try await keyed.enqueue(for: 1, name: "call", waitingAtMost: limit, job)
    case .jobOfKeys: try await keyed.enqueue(forAll: [2, 1], name: "call", waitingAtMost: limit, job)
    case .write: try await repository.write(name: "call", waitingAtMost: limit, job)
    case .writeTouching: try await repository.write(touching: [2, 1], name: "call", waitingAtMost: limit, job)
    case .read, .joinedRead: try await repository.read(1, name: "call", waitingAtMost: limit, job)
    }
  }

  /// A read that the call joins, where that is what it does; it waits without a limit.
  func first(_ job: @escaping @Sendable () async throws -> Int) -> Task<Int, any Error>? {
    guard call == .joinedRead else { return nil }
    return Task.immediate { try await repository.read(1, name: "first", job) }
  }

  func pause() {
    serial.pause()
    keyed.pause()
    repository.pause()
  }

  func resume() {
    serial.resume()
    keyed.resume()
    repository.resume()
  }

  func drain() async throws {
    try await serial.drain()
    try await keyed.drain()
    try await repository.drain()
  }
}
