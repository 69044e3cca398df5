import SerialTasks
import SerialTasksFenced

/// Grants in this process, by looking again and again; one fault at a time.
///
/// A client asks with a request that has a name of its own. One that is delayed is sent again under that name. The engine does not
/// grant twice under one name.
final class FaultyEngine: Sendable {
  typealias Fault = ConformanceFaultTests.Fault

  struct Away: Error {}

  private struct Key: Sendable {
    var number: UInt64 = 0
    var holder: UInt64?
    var waiting = 0
    /// What is to become of the next request, and what has become of it.
    var delivery: Delivery?
    var stray: Int?
  }

  private enum Delivery { case late, twice }

  private struct State: Sendable {
    var keys: [String: Key] = [:]
    var requests = 0
    /// The requests that have been granted, and must not be again.
    var granted: Set<Int> = []
    /// Whether all that clients hold is lost.
    var isLost = false
    var isAway = false
    var wasAway = false
    var isOver = false
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

  /// Ends the requests that nothing else ends: they look again and again, beside other tests.
  func end() { state.withLock { $0.isOver = true } }

  fileprivate var isOver: Bool { state.withLock { $0.isOver } }

  func client() -> Client {
    if fault == .startsAgain { state.withLock { $0.keys = [:] } }
    return Client(engine: self)
  }

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

  /// A request under a new name; one that is to be delayed is not looked at now.
  fileprivate func newRequest(_ key: String) -> Int {
    state.withLock { state in
      state.requests += 1
      let delivery = state.keys[key, default: Key()].delivery.take()
      if delivery != nil { state.keys[key]!.stray = state.requests }
      if delivery == .late, fault == .losesAllForOne { state.isLost = true }
      return state.requests
    }
  }

  fileprivate func acquire(_ key: String, _ request: Int) throws -> UInt64? {
    try state.withLock { state -> Result<UInt64?, Away> in
      if state.isOver || state.isAway && fault != .runsWhileAway { return .failure(Away()) }
      if state.wasAway, fault == .staysAway { return .failure(Away()) }
      var entry = state.keys[key] ?? Key()
      let isWaited = state.keys.contains { $0.key != key && $0.value.waiting > 0 }
      let isBusy = entry.holder != nil || fault == .oneKeyForAll && isWaited
      if isBusy, fault != .overlaps { return .success(nil) }
      let isOld = !state.granted.insert(request).inserted
      if isOld, fault != .lateHolds && fault != .repeatedHolds { return .success(nil) }
      if fault != .sameNumber || entry.number == 0 { entry.number += 1 }
      entry.holder = entry.number
      if fault == .oneKeyForAClient { for other in state.keys.keys { state.keys[other]!.holder = nil } }
      state.keys[key] = entry
      return .success(entry.number)
    }.get()
  }

  fileprivate func wait(_ key: String, _ difference: Int) {
    state.withLock { $0.keys[key, default: Key()].waiting += difference }
  }

  fileprivate func isAwaited(_ key: String) -> Bool { state.withLock { ($0.keys[key]?.waiting ?? 0) > 0 } }

  /// The next request for the key arrives when the closure is called, or again then.
  func misdeliver(_ key: String, late: Bool) -> @Sendable () async throws -> Void {
    state.withLock { $0.keys[key, default: Key()].delivery = late ? .late : .twice }
    return { [self] in
      if let stray = state.withLock({ $0.keys[key]!.stray }) { _ = try acquire(key, stray) }
    }
  }

  fileprivate func release(_ key: String, _ number: UInt64) {
    state.withLock { if $0.keys[key]?.holder == number { $0.keys[key]!.holder = nil } }
  }

  fileprivate func isHeld(_ key: String, _ number: UInt64) -> Bool {
    if fault == .pausedUnaware {
      clock.end()
      return true
    }
    let (holder, isLost) = state.withLock { ($0.keys[key]?.holder, $0.isLost) }
    if isLost { return false }
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
    }

    nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
      if engine.fault == .hearsNobodyAsking { return }
      for looks in 1... {
        if engine.isOver || engine.isAwaited(key) && engine.fault != .hearsNothing { return }
        if looks == 5_000, [.hearsNothing, .listensForEver].contains(engine.fault) { engine.clock.end() }
        if engine.fault != .listensForEver { try Task.checkCancellation() }
        await Task.yield()
      }
    }

    private nonisolated(nonsending) func acquire(_ key: String) async throws -> UInt64 {
      let request = engine.newRequest(key)
      engine.wait(key, 1)
      defer { engine.wait(key, -1) }
      for looks in 1... {
        if let number = try engine.acquire(key, request) { return number }
        // Who waits for so long would wait for ever, but for other clients that have their turns.
        if looks == 1_000, engine.fault?.makesWait == true { engine.clock.end() }
        // Asked once: the cancellation may come between two looks, and the fault would not show.
        if Task.isCancelled, engine.fault != .deafWaiter {
          if engine.fault == .grantsTheCancelled { return 99 }
          throw CancellationError()
        }
        await Task.yield()
      }
      preconditionFailure("unreachable")
    }
  }
}

/// A clock that stands still until its time is over.
struct StoppedClock: Clock {
  private let gate = Gate()

  let now = ContinuousClock.now
  var minimumResolution: Duration { .zero }

  func end() { gate.open() }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await gate.passUnlessCancelled()
  }
}
