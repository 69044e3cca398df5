import SerialTasksFenced

/// Checks whether an `ExclusiveAccess` keeps its promises: the suite that any conformance can be run against.
///
/// It uses no test framework. Call ``check()`` in a test of any of them:
///
/// ```swift
/// let newKey: @Sendable () -> String = { "test-\(UInt64.random(in: 0...(.max)))" }
/// var conformance = AccessConformance(access: { Leases(service: service) }, key: newKey)
/// conformance.expireHolder = { key in await service.revoke("account-\(key)") }
/// conformance.hearsOthers = true
/// try await conformance.check()  // throws AccessPromisesBroken, which names each
/// ```
///
/// Some promises need help from outside: how another process is killed while it holds a key, how a holder is made to lose its
/// key, how the engine is stopped and started, and how its requests are delayed and repeated. Without that help they are reported
/// as ``AccessFinding/Outcome/notChecked``, and so is whether another is heard, unless ``hearsOthers`` is set.
///
/// A promise that is kept may take a while: each wait is given ``patience`` before it counts as broken. Checks that end well do
/// not wait for time to pass.
public struct AccessConformance<Access: ExclusiveAccess>: Sendable {
  let access: @Sendable () async throws -> Access
  let key: @Sendable () -> Access.Key

  /// How long a wait may take that has to end.
  public var patience: Duration = .seconds(30)
  let sleep: @Sendable (Duration) async throws -> Void

  /// Lets another process take the key, and kills it while it holds the key; returns the number of its fence.
  ///
  /// The killed process must have held the key: return only after its end.
  public var killHolder: (@Sendable (_ key: Access.Key) async throws -> UInt64)?

  /// Makes the engine take the key from its present holder in this process, as if that had been paused past its validity.
  public var expireHolder: (@Sendable (_ key: Access.Key) async throws -> Void)?

  /// Whether the engine implements `waitUntilAnotherAsks(for:under:)`, as not every engine does.
  public var hearsOthers = false

  /// Delays the next request for the key that takes a place at the engine, or a lock.
  ///
  /// It is held back, and the client gets no answer to it. What the client sends after it arrives and is answered. The closure that
  /// is returned lets the request arrive, waits for it if it has not been sent, and returns when the engine has dealt with it.
  public var delayRequest: (@Sendable (_ key: Access.Key) async throws -> @Sendable () async throws -> Void)?

  /// Repeats the next request for the key that takes a place at the engine, or a lock.
  ///
  /// It arrives and is answered. The closure that is returned lets it arrive a second time, and returns when the engine has dealt
  /// with that.
  public var repeatRequest: (@Sendable (_ key: Access.Key) async throws -> @Sendable () async throws -> Void)?

  /// Makes the engine go away; returns when it has.
  public var stopEngine: (@Sendable () async throws -> Void)?

  /// Makes the engine come back; returns when it has.
  public var startEngine: (@Sendable () async throws -> Void)?

  /// Creates a suite of checks.
  ///
  /// - Parameters:
  ///   - access: Makes a new client of the engine, as another process or this one after a restart would have.
  ///   - key: A key that has not been used before.
  ///   - clock: Measures ``patience``.
  public init(
    access: @escaping @Sendable () async throws -> Access, key: @escaping @Sendable () -> Access.Key,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.access = access
    self.key = key
    self.sleep = { try await Task.sleep(for: $0, clock: clock) }
  }

  /// Checks all promises, one after the other.
  ///
  /// - Returns: A finding for each promise, in their order.
  public func findings() async -> [AccessFinding] {
    var findings: [AccessFinding] = []
    for promise in AccessPromise.allCases { findings.append(await finding(promise)) }
    return findings
  }

  /// Checks all promises, and throws if one is broken.
  ///
  /// - Throws: ``AccessPromisesBroken``.
  public func check() async throws {
    let broken = await findings().filter(\.isBroken)
    if !broken.isEmpty { throw AccessPromisesBroken(findings: broken) }
  }

  /// Checks one promise.
  ///
  /// - Parameter promise: The promise to check.
  /// - Returns: How the check ended.
  public func finding(_ promise: AccessPromise) async -> AccessFinding {
    let outcome: AccessFinding.Outcome
    do {
      outcome = try await check(promise) ? .kept : .notChecked
    } catch let broken as Broken {
      outcome = .broken(broken.how)
    } catch { outcome = .broken("\(error) was thrown") }
    return AccessFinding(promise: promise, outcome: outcome)
  }

  /// Returns whether the promise was checked.
  private func check(_ promise: AccessPromise) async throws -> Bool {
    switch promise {
    case .numbersRise: try await checkNumbers { [access = try await access()] in access }
    case .numbersRiseOverRestarts: try await checkNumbers(access)
    case .turnsExcludeEachOther: try await checkExclusion()
    case .keysAreIndependent: try await checkIndependence()
    case .severalKeysAreHeldTogether: try await checkSeveralKeys()
    case .aFailedTurnReleases: try await checkFailedTurn()
    case .aKeptFenceIsLost: try await checkKeptFence()
    case .aCancelledWaiterLeaves: try await checkCancelledWaiter()
    case .aCancelledHolderHolds: try await checkCancelledHolder()
    case .anotherIsHeard:
      if !hearsOthers { return false }
      try await checkHearing()
    case .aKilledHolderReleases:
      guard let killHolder else { return false }
      try await checkKilledHolder(killHolder)
    case .aPausedHolderIsFenced:
      guard let expireHolder else { return false }
      try await checkPausedHolder(expireHolder)
    case .aLateRequestLeavesNothing:
      guard let delayRequest else { return false }
      try await checkLateRequest(delayRequest)
    case .aRepeatedRequestLeavesNothing:
      guard let repeatRequest else { return false }
      try await checkRepeatedRequest(repeatRequest)
    case .theEngineComesBack:
      guard let stopEngine, let startEngine else { return false }
      try await checkEngine(stopEngine, startEngine)
    }
    return true
  }
}

/// How a promise is broken.
struct Broken: Error {
  let how: String

  init(_ how: String) { self.how = how }
}
