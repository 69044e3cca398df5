import Foundation
import SerialTasks
import SerialTasksFenced
import SerialTasksFencedTesting
import Testing
import fenced_worker

private let newKey: @Sendable () -> String = { "key-\(UInt64.random(in: 0...(.max)))" }

#if !os(Windows) && !os(WASI)
  /// The engines of this repository against the suite for any engine.
  ///
  /// Not watched: they wait for other processes.
  @Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func killHolder(_ engine: String) -> @Sendable (String) async throws -> UInt64 {
      { [folder] key in
        let holder = try TestProcess.worker("hold", engine, folder.store, "holder", key)
        let number = try await holder.fence()
        holder.send(SIGKILL)
        _ = await holder.end()
        return number
      }
    }

    private func moveAway() throws {
      try FileManager.default.moveItem(atPath: folder.locks, toPath: "\(folder.path)/away")
    }

    private func moveBack() throws {
      try FileManager.default.moveItem(atPath: "\(folder.path)/away", toPath: folder.locks)
    }

    /// Fails if: locked files break a promise of an engine.
    @Test func lockedFilesKeepTheirPromises() async throws {
      var conformance = AccessConformance(access: { [folder] in try LockFolder(folder.locks) }, key: newKey)
      conformance.killHolder = killHolder("folder:\(folder.locks)")
      conformance.expireHolder = { [folder] key in
        try FileManager.default.removeItem(atPath: "\(folder.locks)/\(key).lock")
      }
      conformance.hearsOthers = true
      conformance.stopEngine = moveAway
      conformance.startEngine = moveBack
      await expectKept(&conformance, unless: ["aLateRequestLeavesNothing", "aRepeatedRequestLeavesNothing"])
    }

    private func expectKept<Access>(_ conformance: inout AccessConformance<Access>, unless notChecked: Set<String>)
      async
    {
      // Only a promise that is broken takes long; the other tests may need the processors for minutes.
      conformance.patience = .seconds(300)
      let expected = AccessPromise.allCases.map { "\($0): \(notChecked.contains("\($0)") ? "not checked" : "kept")" }
      let findings = await conformance.findings().map(\.description)
      #expect(findings == expected)
    }

    /// Fails if: the suite takes an engine for broken whose grants expire.
    @Test func leasesKeepTheirPromises() async throws {
      let leases = { @Sendable [folder] in LeaseFiles(folder.locks, validity: .seconds(3_600)) }
      var conformance = AccessConformance(access: leases, key: newKey)
      let kill = killHolder("leases:3600000:\(folder.locks)")
      conformance.killHolder = { key in
        let number = try await kill(key)
        // As time does; the tests of processes let it.
        try leases().expire(key)
        return number
      }
      conformance.expireHolder = { try leases().expire($0) }
      conformance.stopEngine = moveAway
      conformance.startEngine = moveBack
      let notChecked: Set = ["anotherIsHeard", "aLateRequestLeavesNothing", "aRepeatedRequestLeavesNothing"]
      await expectKept(&conformance, unless: notChecked)
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

    var promise: AccessPromise {
      switch self {
      case .sameNumber: .numbersRise
      case .startsAgain: .numbersRiseOverRestarts
      case .overlaps, .skipsTheTurn: .turnsExcludeEachOther
      case .oneKeyForAll: .keysAreIndependent
      case .oneKeyForAClient: .severalKeysAreHeldTogether
      case .keepsFailed, .hidesErrors: .aFailedTurnReleases
      case .lendsLostFences, .keepsFences, .fenceOfAnyHolder: .aKeptFenceIsLost
      case .deafWaiter, .grantsTheCancelled: .aCancelledWaiterLeaves
      case .freesTheHolder: .aCancelledHolderHolds
      case .hearsNothing, .hearsNobodyAsking, .listensForEver: .anotherIsHeard
      case .killedKeeps, .killedStartsAgain: .aKilledHolderReleases
      case .pausedKeeps, .pausedUnaware, .pausedStartsAgain: .aPausedHolderIsFenced
      case .lateHolds, .losesAllForOne: .aLateRequestLeavesNothing
      case .repeatedHolds: .aRepeatedRequestLeavesNothing
      case .runsWhileAway, .staysAway: .theEngineComesBack
      }
    }

    /// Whether it is found by waiting in vain for a key.
    var makesWait: Bool {
      [.oneKeyForAll, .keepsFailed, .deafWaiter, .killedKeeps, .pausedKeeps, .lateHolds, .repeatedHolds].contains(self)
    }

    /// What the finding says.
    var words: String {
      switch self {
      case .sameNumber: "fence 1 was granted after 1"
      case .startsAgain: "fence 1 was granted after 1"
      case .overlaps: "began while the turn with"
      case .skipsTheTurn: "0 turns ran"
      case .oneKeyForAll: "another free key was not granted"
      case .oneKeyForAClient: "Access with fence"
      case .keepsFailed: "its key was not released"
      case .hidesErrors: "its call returned normally"
      case .lendsLostFences: "threw during its turn: Access with fence 1"
      case .keepsFences: "did not throw after the call had returned"
      case .fenceOfAnyHolder: "did not throw during the next turn"
      case .deafWaiter: "did not stop waiting"
      case .grantsTheCancelled: "but its turn ran"
      case .freesTheHolder: "a turn ran before"
      case .hearsNothing: "requested the key, but its holder was not notified"
      case .hearsNobodyAsking: "but there was none"
      case .listensForEver: "but did not return"
      case .killedKeeps: "its key was not granted"
      case .killedStartsAgain: "after the killed holder's 1"
      case .pausedKeeps: "was not granted to another"
      case .pausedUnaware: "check() of its fence did not throw"
      case .pausedStartsAgain: "cannot reject the late write"
      case .lateHolds: "arrived late, and its key was not granted"
      case .losesAllForOne: "a turn of another key lost its access"
      case .repeatedHolds: "arrived twice, and its key was not granted"
      case .runsWhileAway: "while the engine was stopped"
      case .staysAway: "Away"
      }
    }
  }

  private func conformance(_ fault: Fault?) -> AccessConformance<FaultyEngine.Client> {
    let engine = FaultyEngine(fault)
    var conformance = AccessConformance(
      access: { engine.client() }, key: newKey, clock: engine.clock)
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
    let finding = await conformance(fault).finding(fault.promise)
    #expect(finding.isBroken && finding.description.contains(fault.words), "\(fault): \(finding)")
  }

  /// Fails if: the suite finds faults where there are none, or checks what it was not told how to.
  @Test func anEngineWithoutFaults() async throws {
    try await conformance(nil).check()
    let engine = FaultyEngine(nil)
    let alone = await AccessConformance(access: { engine.client() }, key: newKey).findings()
    #expect(alone.filter { $0.outcome == .notChecked }.map(\.promise) == AccessPromise.allCases.suffix(6))
    #expect(alone.allSatisfy { !$0.isBroken })
  }

  /// Fails if: what is broken is not thrown.
  @Test func whatIsBrokenIsThrown() async {
    await #expect(throws: AccessPromisesBroken.self) { try await conformance(.sameNumber).check() }
  }
}
