/// The promises of an `ExclusiveAccess` that can be checked from outside.
public enum AccessPromise: String, Hashable, Sendable, CaseIterable {
  /// The number of the fence rises with every grant of a key.
  case numbersRise
  /// The number keeps rising when the engine's client starts again.
  case numbersRiseOverRestarts
  /// No two turns of a key run at the same time, and no turn is lost.
  case turnsExcludeEachOther
  /// While one key is held and another client waits for it, other keys are granted to both clients.
  case keysAreIndependent
  /// A client that holds a key is granted another, and holds both: no other turn of either key runs.
  case severalKeysAreHeldTogether
  /// A turn that throws releases the key, and its error is thrown unchanged.
  case aFailedTurnReleases
  /// A fence holds while its turn runs, and is lost when the turn has ended, even if it was kept.
  case aKeptFenceIsLost
  /// A caller that is cancelled while it waits for a held key leaves, and its turn does not run.
  case aCancelledWaiterLeaves
  /// A caller that is cancelled while its turn runs keeps the key until the turn has ended.
  case aCancelledHolderHolds
  /// A holder is notified of another request for its key, even one that came before it began to listen, and of nothing else.
  case anotherIsHeard
  /// The key of a killed holder is granted to another client, with a higher number.
  case aKilledHolderReleases
  /// A holder that was paused past its validity loses the key, and its fence says so. A store that has learned the
  /// higher number of the next holder rejects the late read and the late write, even before that holder has written.
  case aPausedHolderIsFenced
  /// A request that arrives after its caller got the key in another way, or left, leaves nothing behind: the key is
  /// granted again, and other turns of the client continue.
  case aLateRequestLeavesNothing
  /// A request that arrives a second time, after its turn has ended, leaves nothing behind.
  case aRepeatedRequestLeavesNothing
  /// While the engine is stopped, no turn begins. After it has started again, access is granted, with a higher number.
  case theEngineComesBack
}

/// The result of checking one promise.
public struct AccessFinding: Hashable, Sendable {
  /// The outcome of a check.
  public enum Outcome: Hashable, Sendable {
    /// It was kept.
    case kept
    /// It was broken, in the described way.
    case broken(String)
    /// It was not checked: a closure is missing.
    case notChecked
  }

  /// What was checked.
  public let promise: AccessPromise
  /// What was found.
  public let outcome: Outcome

  /// Whether it was broken.
  public var isBroken: Bool { if case .broken = outcome { true } else { false } }
}

extension AccessFinding: CustomStringConvertible {
  /// The finding as one line of text.
  public var description: String {
    switch outcome {
    case .kept: "\(promise): kept"
    case .broken(let how): "\(promise): BROKEN: \(how)"
    case .notChecked: "\(promise): not checked"
    }
  }
}

/// The promises that an `ExclusiveAccess` breaks.
public struct AccessConformanceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The findings of the broken promises, at least one.
  public let findings: [AccessFinding]

  /// The findings, one per line.
  public var description: String { findings.map(\.description).joined(separator: "\n") }
}
