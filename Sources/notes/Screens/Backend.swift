/// What the screens want.
struct Profile: Hashable, Sendable {
  let name: String
  /// The call of the backend it came from, from 1: two answers are the same answer only if this is equal too.
  let call: Int
}

/// What the backend knows of a call.
struct BackendCall: Sendable {
  /// From 1.
  let number: Int
  /// Whose operation made it.
  let caller: String
  let began: Duration
  var ended: Duration?
  var wasCancelled = false
}

/// A server’s stand-in: it takes its time, and counts who asks.
actor Backend {
  /// How long a call takes.
  nonisolated let takes: Duration
  private let stopwatch: Stopwatch
  private let patience: Duration
  private var isHeld = true
  private(set) var calls: [BackendCall] = []

  /// Makes a backend that answers after this time, but not before ``release()``.
  ///
  /// - Parameters:
  ///   - takes: How long a call takes.
  ///   - stopwatch: What times are measured with.
  ///   - patience: How long a call waits for the release.
  init(takes: Duration, stopwatch: Stopwatch, patience: Duration) {
    self.takes = takes
    self.stopwatch = stopwatch
    self.patience = patience
  }

  /// A request.
  func profile(for caller: String) async throws -> Profile {
    let index = calls.count
    calls.append(BackendCall(number: index + 1, caller: caller, began: stopwatch.time))
    do {
      try await Task.sleep(for: takes)
      try await Patience(limit: patience).wait { !isHeld }
    } catch {
      calls[index].wasCancelled = true
      throw error
    }
    calls[index].ended = stopwatch.time
    return Profile(name: "Ann", call: index + 1)
  }

  /// Lets calls end.
  ///
  /// What is shown must happen while the backend works. On a busy machine that could take longer than the work; so calls end
  /// only after this as well, which mostly comes long before their time is over.
  func release() { isHeld = false }

  /// How many calls are under way.
  var running: Int { calls.count { $0.ended == nil && !$0.wasCancelled } }
}

/// Time from the beginning of a scene.
struct Stopwatch: Sendable {
  private let clock = ContinuousClock()
  private let beginning: ContinuousClock.Instant

  init() { beginning = clock.now }

  var time: Duration { clock.now - beginning }
}

/// Waiting for something to be so, but not for ever: if the library is wrong it may never be.
struct Patience: Sendable {
  let limit: Duration

  func wait(
    isolation: isolated (any Actor)? = #isolation, until isSo: () async -> Bool
  ) async throws {
    let stopwatch = Stopwatch()
    while await !isSo(), stopwatch.time < limit { try await Task.sleep(for: .milliseconds(1)) }
  }
}
