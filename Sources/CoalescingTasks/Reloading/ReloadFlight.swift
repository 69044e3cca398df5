/// One load of a reloader: a flight that may have to wait for another, before it begins or before it lands.
///
/// ```
///              begin              land               landed
///   boarding ─────────► flying ───────────► landing ─────────► landed
///      │                  │   ╲ fail                             ▲
///      │                  │    ╲─────────────────────────────────┘
///      │ supersede, cancel, the last who wants it leaves
///      └──────────────────┴──────► abandoned      never begins; or is cancelled, and what it returns goes nowhere
/// ```
///
/// `landing` is `flying` with ``ReloaderState/landing`` naming the load: from then on it can only land.
@usableFromInline
package typealias ReloadFlight<Reason: ReloadReason, Value: Sendable> = Flight<ReloadResult<Reason, Value>>

/// What a reloader keeps of a load.
///
/// What is mutable is reached only under the lock of the reloader, but for `result`, which says why.
@usableFromInline
package struct ReloadResult<Reason: ReloadReason, Value: Sendable>: KeptOfFlight {
  /// Whose load it is.
  let owner: ObjectIdentifier
  /// Which load of its reloader it is; later ones have higher numbers.
  let reloader: String

  /// Of a load that waits to follow another, the reason of the last request for it.
  package internal(set) var reason: Reason
  /// Whether a request that does not wait asked for it: then the screen is a caller that never leaves.
  package internal(set) var isForScreen = false
  /// When it began to load.
  package internal(set) var began = WaitStart()

  /// Written once, before the flight lands under the lock, and read only after that.
  package var result: Result<Value, any Error>?

  init(_ request: ReloadRequest<Reason>) {
    owner = request.owner
    reloader = request.reloader
    reason = request.reason
  }

  @usableFromInline package var label: String { reloader }

  @usableFromInline package var stake: Stake? { Stake(owner, label: reloader) }
}

/// A request, and what its load would be like if it had to begin one.
package struct ReloadRequest<Reason: ReloadReason>: Sendable {
  let owner: ObjectIdentifier
  let reloader: String
  let reason: Reason
  let policy: ReloadPolicy
  let name: String?
  let priority: UInt8

  package init(
    owner: ObjectIdentifier, reloader: String, reason: Reason, policy: ReloadPolicy, name: String? = nil,
    priority: UInt8 = 0
  ) {
    self.owner = owner
    self.reloader = reloader
    self.reason = reason
    self.policy = policy
    self.name = name
    self.priority = priority
  }
}

/// A caller that waits for a load, and then for the one that replaces it.
package typealias ReloadCaller<Reason: ReloadReason, Value: Sendable> = CarriedCaller<ReloadFlight<Reason, Value>>
