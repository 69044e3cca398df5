import SerialTasksFenced
import SerialTasksFencedTesting
import Testing
import fenced_worker

private let newKey: @Sendable () -> String = { "key-\(UInt64.random(in: 0...(.max)))" }

#if !os(Windows) && !os(WASI)
  import Foundation

  /// The engines of this repository against the suite for any engine.
  ///
  /// Not watched: they wait for other processes.
  @Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    let processes: Processes
    var folder: Folder { processes.folder }

    init() throws { processes = try Processes() }

    private func killHolder(_ engine: String, _ key: String) async throws -> UInt64 {
      let holder = try processes.start("hold", engine, "holder", key)
      let number = try await holder.fences()[0]
      holder.send(SIGKILL)
      _ = await holder.end()
      return number
    }

    private func expectKept<Access>(_ conformance: AccessConformance<Access>, unless notChecked: Set<String>) async {
      var conformance = conformance
      conformance.stopEngine = { try folder.moveLocksAway() }
      conformance.startEngine = { try folder.moveLocksBack() }
      // Only a promise that is broken takes long; the other tests may need the processors for minutes.
      conformance.patience = .seconds(300)
      let expected = AccessPromise.allCases.map { "\($0): \(notChecked.contains("\($0)") ? "not checked" : "kept")" }
      #expect(await conformance.findings().map(\.description) == expected)
    }

    /// Fails if: locked files break a promise of an engine.
    @Test func lockedFilesKeepTheirPromises() async throws {
      var conformance = AccessConformance(access: { try LockFolder(folder.locks) }, key: newKey)
      conformance.killHolder = { try await killHolder(processes.locks, $0) }
      conformance.expireHolder = { try FileManager.default.removeItem(atPath: "\(folder.locks)/\($0).lock") }
      conformance.hearsOthers = true
      await expectKept(conformance, unless: ["aLateRequestLeavesNothing", "aRepeatedRequestLeavesNothing"])
    }

    /// Fails if: the suite takes an engine for broken whose grants expire.
    @Test func leasesKeepTheirPromises() async throws {
      let leases = { @Sendable in LeaseFiles(folder.locks, validity: .seconds(3_600)) }
      var conformance = AccessConformance(access: leases, key: newKey)
      conformance.killHolder = { key in
        let number = try await killHolder("leases:3600000:\(folder.locks)", key)
        // As time does; the tests of processes let it.
        try leases().expire(key)
        return number
      }
      conformance.expireHolder = { try leases().expire($0) }
      await expectKept(
        conformance, unless: ["anotherIsHeard", "aLateRequestLeavesNothing", "aRepeatedRequestLeavesNothing"])
    }
  }
#endif

/// An engine in this process with one fault; the suite names the promise that it breaks.
@Suite(.watched) struct ConformanceFaultTests {
  /// What the engine does wrong.
  enum Fault: CaseIterable {
    case sameNumber, startsAgain, overlaps, skipsTheTurn, oneKeyForAll, oneKeyForAClient, keepsFailed, hidesErrors
    case lendsLostFences, keepsFences, fenceOfAnyHolder, deafWaiter, grantsTheCancelled, freesTheHolder
    case hearsNothing, hearsNobodyAsking, listensForEver
    case killedKeeps, killedStartsAgain, pausedKeeps, pausedUnaware, pausedStartsAgain
    case lateHolds, losesAllForOne, repeatedHolds, runsWhileAway, staysAway

    /// Whether it is found by waiting in vain for a key.
    var makesWait: Bool {
      [.oneKeyForAll, .keepsFailed, .deafWaiter, .killedKeeps, .pausedKeeps, .lateHolds, .repeatedHolds].contains(self)
    }

    /// The promise that is broken, and what the finding says.
    var finding: (AccessPromise, String) {
      switch self {
      case .sameNumber: (.numbersRise, "fence 1 was granted after 1")
      case .startsAgain: (.numbersRiseOverRestarts, "fence 1 was granted after 1")
      case .overlaps: (.turnsExcludeEachOther, "began while the turn with")
      case .skipsTheTurn: (.turnsExcludeEachOther, "0 turns ran")
      case .oneKeyForAll: (.keysAreIndependent, "another free key was not granted")
      case .oneKeyForAClient: (.severalKeysAreHeldTogether, "Access with fence")
      case .keepsFailed: (.aFailedTurnReleases, "its key was not released")
      case .hidesErrors: (.aFailedTurnReleases, "its call returned normally")
      case .lendsLostFences: (.aKeptFenceIsLost, "threw during its turn: Access with fence 1")
      case .keepsFences: (.aKeptFenceIsLost, "did not throw after the call had returned")
      case .fenceOfAnyHolder: (.aKeptFenceIsLost, "did not throw during the next turn")
      case .deafWaiter: (.aCancelledWaiterLeaves, "did not stop waiting")
      case .grantsTheCancelled: (.aCancelledWaiterLeaves, "but its turn ran")
      case .freesTheHolder: (.aCancelledHolderHolds, "a turn ran before")
      case .hearsNothing: (.anotherIsHeard, "requested the key, but its holder was not notified")
      case .hearsNobodyAsking: (.anotherIsHeard, "but there was none")
      case .listensForEver: (.anotherIsHeard, "but did not return")
      case .killedKeeps: (.aKilledHolderReleases, "its key was not granted")
      case .killedStartsAgain: (.aKilledHolderReleases, "after the killed holder's 1")
      case .pausedKeeps: (.aPausedHolderIsFenced, "was not granted to another")
      case .pausedUnaware: (.aPausedHolderIsFenced, "check() of its fence did not throw")
      case .pausedStartsAgain: (.aPausedHolderIsFenced, "cannot reject the late write")
      case .lateHolds: (.aLateRequestLeavesNothing, "arrived late, and its key was not granted")
      case .losesAllForOne: (.aLateRequestLeavesNothing, "a turn of another key lost its access")
      case .repeatedHolds: (.aRepeatedRequestLeavesNothing, "arrived twice, and its key was not granted")
      case .runsWhileAway: (.theEngineComesBack, "while the engine was stopped")
      case .staysAway: (.theEngineComesBack, "Away")
      }
    }
  }

  private func conformance(_ engine: FaultyEngine) -> AccessConformance<FaultyEngine.Client> {
    var conformance = AccessConformance(access: { engine.client() }, key: newKey, clock: engine.clock)
    conformance.killHolder = { engine.killed($0) }
    conformance.expireHolder = { engine.expire($0) }
    conformance.hearsOthers = true
    conformance.delayRequest = { engine.misdeliver($0, late: true) }
    conformance.repeatRequest = { engine.misdeliver($0, late: false) }
    conformance.stopEngine = { engine.isAway = true }
    conformance.startEngine = { engine.isAway = false }
    return conformance
  }

  /// Fails if: the suite does not see a fault.
  @Test(arguments: Fault.allCases) func eachFaultIsFound(_ fault: Fault) async {
    let (promise, words) = fault.finding
    let engine = FaultyEngine(fault)
    let finding = await conformance(engine).finding(promise)
    engine.end()
    #expect(finding.isBroken && finding.description.contains(words), "\(fault): \(finding)")
  }

  /// Fails if: the suite finds faults where there are none, checks what it was not told how to, or does not throw what is broken.
  @Test func anEngineWithoutFaults() async throws {
    let engine = FaultyEngine(nil)
    try await conformance(engine).check()
    let alone = await AccessConformance(access: { engine.client() }, key: newKey).findings()
    #expect(alone.filter { $0.outcome == .notChecked }.map(\.promise) == AccessPromise.allCases.suffix(6))
    #expect(alone.allSatisfy { !$0.isBroken })
    await #expect(throws: AccessConformanceError.self) { try await conformance(FaultyEngine(.sameNumber)).check() }
  }
}
