/// What an `ExclusiveAccess` promises, as far as it can be checked from outside.
public enum AccessPromise: String, Hashable, Sendable, CaseIterable {
  /// The number of the fence rises with every grant of a key.
  case numbersRise
  /// It goes on rising when the engine's client starts again.
  case numbersRiseOverRestarts
  /// No two turns of a key run at the same time, and no turn is lost.
  case turnsExcludeEachOther
  /// While one key is held and another client waits for it, other keys are granted, to both clients.
  case keysAreIndependent
  /// A client that holds a key is granted another, and holds both: no other turn of either runs.
  case severalKeysAreHeldTogether
  /// A turn that throws releases the key, and its error is thrown unchanged.
  case aFailedTurnReleases
  /// A fence holds while its turn runs, and is lost when the turn has ended, for who has kept it.
  case aKeptFenceIsLost
  /// A caller that is cancelled while it waits leaves, although the key is held, and its turn does not run.
  case aCancelledWaiterLeaves
  /// A caller that is cancelled while its turn runs holds the key until the turn has ended.
  case aCancelledHolderHolds
  /// A holder hears of another that asks for its key, whether that came before it listened or later; and of none, if none asks.
  case anotherIsHeard
  /// The key of a holder that was killed is granted to another, with a higher number.
  case aKilledHolderReleases
  /// A holder that was paused past its validity loses the key, and its fence says so. The next number is higher: so a store
  /// that has learned it with the read of the next holder refuses the late read and the late write, also before that holder has
  /// written.
  case aPausedHolderIsFenced
  /// A request that arrives late, when its caller has been granted the key in another way or has left, leaves nothing behind: the
  /// key is granted again, and the other turns of the client go on.
  case aLateRequestLeavesNothing
  /// A request that arrives a second time, when the turn that it was for has ended, leaves nothing behind.
  case aRepeatedRequestLeavesNothing
  /// While the engine is away no turn begins; when it has come back, access is granted, with a higher number.
  case theEngineComesBack
}

/// What a check of one promise found.
public struct AccessFinding: Hashable, Sendable {
  /// How a check ended.
  public enum Outcome: Hashable, Sendable {
    /// The promise was kept.
    case kept
    /// The promise was broken, in this way.
    case broken(String)
    /// The promise was not checked: the conformance was not told how.
    case notChecked
  }

  /// The promise that was checked.
  public let promise: AccessPromise
  /// How the check ended.
  public let outcome: Outcome

  /// Whether the promise was broken.
  public var isBroken: Bool { if case .broken = outcome { true } else { false } }
}

extension AccessFinding: CustomStringConvertible {
  /// The finding as a line of text.
  public var description: String {
    switch outcome {
    case .kept: "\(promise): kept"
    case .broken(let how): "\(promise): BROKEN: \(how)"
    case .notChecked: "\(promise): not checked"
    }
  }
}

/// The promises that an `ExclusiveAccess` breaks.
public struct AccessPromisesBroken: Error, Hashable, Sendable, CustomStringConvertible {
  /// The findings of the promises that are broken, at least one.
  public let findings: [AccessFinding]

  /// The findings, a line each.
  public var description: String { findings.map(\.description).joined(separator: "\n") }
}
