import SerialTasksFenced

/// Checks whether an `ExclusiveAccess` keeps its promises.
///
/// It uses no test framework. Call ``check()`` in a test:
///
/// ```swift
/// let newKey: @Sendable () -> String = { "test-\(UInt64.random(in: 0...(.max)))" }
/// var conformance = AccessConformance(access: { Leases(service: service) }, key: newKey)
/// conformance.expireHolder = { key in await service.revoke("account-\(key)") }
/// conformance.hearsOthers = true
/// try await conformance.check()  // throws AccessConformanceError, which names each
/// ```
///
/// Promises that need a closure which is not set are ``AccessFinding/Outcome/notChecked``. Checks that succeed do not
/// wait for time to pass.
public struct AccessConformance<Access: ExclusiveAccess>: Sendable {
  let access: @Sendable () async throws -> Access
  let key: @Sendable () -> Access.Key

  /// Time allowed for each step before its promise counts as broken.
  public var patience: Duration = .seconds(30)
  let sleep: @Sendable (Duration) async throws -> Void

  /// Makes another process take the key, and kills it while it holds the key; returns the number of its fence.
  ///
  /// Return only after the process has ended.
  public var killHolder: (@Sendable (_ key: Access.Key) async throws -> UInt64)?

  /// Makes the engine take the key from its current holder in this process, as if the holder had been paused past its validity.
  public var expireHolder: (@Sendable (_ key: Access.Key) async throws -> Void)?

  /// Whether the engine implements `waitUntilAnotherAsks(for:under:)`, which is otherwise not checked.
  public var hearsOthers = false

  /// Delays the next request for the key that takes a place at the engine, or a lock.
  ///
  /// The client gets no answer to it; later requests arrive and are answered. The returned closure waits until the
  /// request was sent, delivers it, and returns when the engine has processed it.
  public var delayRequest: (@Sendable (_ key: Access.Key) async throws -> @Sendable () async throws -> Void)?

  /// Repeats the next request for the key that takes a place at the engine, or a lock.
  ///
  /// It arrives and is answered. The returned closure delivers it a second time, and returns when the engine has processed it.
  public var repeatRequest: (@Sendable (_ key: Access.Key) async throws -> @Sendable () async throws -> Void)?

  /// Stops the engine; returns when it has stopped.
  public var stopEngine: (@Sendable () async throws -> Void)?

  /// Starts the engine again; returns when it is available.
  public var startEngine: (@Sendable () async throws -> Void)?

  /// Creates a suite of checks.
  ///
  /// - Parameters:
  ///   - access: Creates a new client of the engine, like another process, or this one after a restart.
  ///   - key: Returns a key that has not been used before.
  ///   - clock: Measures ``patience``.
  public init(
    access: @escaping @Sendable () async throws -> Access, key: @escaping @Sendable () -> Access.Key,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    self.access = access
    self.key = key
    self.sleep = { try await Task.sleep(for: $0, clock: clock) }
  }

  /// Checks all promises, one after the other; returns one finding for each, in order.
  public func findings() async -> [AccessFinding] {
    var findings: [AccessFinding] = []
    for promise in AccessPromise.allCases { findings.append(await finding(promise)) }
    return findings
  }

  /// Checks all promises, and throws an ``AccessConformanceError`` if one is broken.
  public func check() async throws {
    let broken = await findings().filter(\.isBroken)
    if !broken.isEmpty { throw AccessConformanceError(findings: broken) }
  }

  /// Checks one promise.
  public func finding(_ promise: AccessPromise) async -> AccessFinding {
    let outcome: AccessFinding.Outcome
    do {
      outcome = try await check(promise) ? .kept : .notChecked
    } catch let broken as Broken {
      outcome = .broken(broken.how)
    } catch { outcome = .broken("\(error) was thrown") }
    return AccessFinding(promise: promise, outcome: outcome)
  }

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

struct Broken: Error {
  let how: String

  init(_ how: String) { self.how = how }
}
