import SerialTasks
import SerialTasksFenced

/// Grants in this process, by looking again and again; one fault at a time.
final class FaultyEngine: Sendable {
  typealias Fault = ConformanceFaultTests.Fault

  struct Away: Error {}

  private struct Key: Sendable {
    var number: UInt64 = 0
    var holder: UInt64?
    var clients = 0
  }

  private struct State: Sendable {
    var keys: [String: Key] = [:]
    var isAway = false
    var wasAway = false
  }

  private let state = Lock(State())
  let clock = StoppedClock()
  let fault: Fault?

  init(_ fault: Fault?) { self.fault = fault }

  var isAway: Bool {
    get { state.withLock { $0.isAway } }
    set {
      state.withLock {
        $0.isAway = newValue
        $0.wasAway = true
      }
    }
  }

  func client() -> Client { Client(engine: self) }

  func killed(_ key: String) -> UInt64 {
    state.withLock { state in
      state.keys[key, default: Key()].number += 1
      let number = state.keys[key]!.number
      if fault == .killedKeeps { state.keys[key]!.holder = number }
      if fault == .killedStartsAgain { state.keys[key]!.number = 0 }
      return number
    }
  }

  func expire(_ key: String) {
    state.withLock { state in
      if fault != .pausedKeeps { state.keys[key]!.holder = nil }
      if fault == .pausedStartsAgain { state.keys[key]!.number = 0 }
    }
  }

  fileprivate func acquire(_ key: String) throws -> UInt64? {
    try state.withLock { state -> Result<UInt64?, Away> in
      if state.isAway, fault != .runsWhileAway { return .failure(Away()) }
      if state.wasAway, fault == .staysAway { return .failure(Away()) }
      var entry = state.keys[key] ?? Key()
      if entry.holder != nil, fault != .overlaps { return .success(nil) }
      if fault != .sameNumber || entry.number == 0 { entry.number += 1 }
      entry.holder = entry.number
      state.keys[key] = entry
      return .success(entry.number)
    }.get()
  }

  fileprivate func restart(_ key: String) { state.withLock { $0.keys[key]?.number = 0 } }

  fileprivate func release(_ key: String, _ number: UInt64) {
    state.withLock { if $0.keys[key]?.holder == number { $0.keys[key]!.holder = nil } }
  }

  fileprivate func isHeld(_ key: String, _ number: UInt64) -> Bool {
    if fault == .pausedUnaware {
      clock.end()
      return true
    }
    let holder = state.withLock { $0.keys[key]?.holder }
    if fault == .keepsFences { return true }
    return holder == number || holder != nil && fault == .fenceOfAnyHolder
  }

  struct Client: ExclusiveAccess {
    let engine: FaultyEngine

    nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      let number = try await acquire(key)
      let fence = Fence(number: number) { [engine] in
        if !engine.isHeld(key, number) || engine.fault == .lendsLostFences {
          throw AccessError.lost(number: number, reason: "it has expired")
        }
      }
      if engine.fault == .freesTheHolder { Task { [engine] in engine.release(key, number) } }
      do { if engine.fault != .skipsTheTurn { try await turn(fence) } } catch {
        if engine.fault != .keepsFailed { engine.release(key, number) }
        if engine.fault == .hidesErrors { return }
        throw error
      }
      engine.release(key, number)
      if engine.fault == .startsAgain { engine.restart(key) }
    }

    private nonisolated(nonsending) func acquire(_ key: String) async throws -> UInt64 {
      for looks in 1... {
        if let number = try engine.acquire(key) { return number }
        // Who waits for so long would wait for ever, but for other clients that have their turns.
        if looks == 1_000, engine.fault?.makesWait == true { engine.clock.end() }
        if engine.fault == .grantsTheCancelled, Task.isCancelled { return 99 }
        if engine.fault != .deafWaiter { try Task.checkCancellation() }
        await Task.yield()
      }
      preconditionFailure("unreachable")
    }
  }
}

/// A clock that stands still until its time is over.
struct StoppedClock: Clock {
  private let line = SerialTaskExecutor()

  init() { line.pause() }

  let now = ContinuousClock.now
  var minimumResolution: Duration { .zero }

  func end() { line.resume() }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { try await line.enqueue {} }
}
