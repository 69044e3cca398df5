/// One load of a reloader: a flight that may wait for another, before it begins or before its result is applied.
///
/// ```
///              begin              land               landed
///   boarding ─────────► flying ───────────► landing ─────────► landed
///      │                  │   ╲ fail                             ▲
///      │                  │    ╲─────────────────────────────────┘
///      │ supersede, cancel, the last caller leaves
///      └──────────────────┴──────► abandoned      never begins; or is cancelled, and its result is discarded
/// ```
///
/// `landing` is the phase `flying` while ``ReloaderState/landing`` is this load. Then it can only land.
@usableFromInline
package typealias ReloadFlight<Reason: ReloadReason, Value: Sendable> = Flight<ReloadResult<Reason, Value>>

/// The fields of a load.
///
/// Mutable fields are accessed only under the lock of the reloader, except `result`, which says why.
@usableFromInline
package struct ReloadResult<Reason: ReloadReason, Value: Sendable>: KeptOfFlight {
  /// The reloader.
  let owner: ObjectIdentifier
  let reloader: String

  /// The reason of the load, or of the last request that shares it.
  package internal(set) var reason: Reason
  /// Whether it was requested without waiting.
  ///
  /// Then the screen counts as a caller that never leaves.
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

/// A request, and the properties of its load if it begins one.
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

/// A caller that waits for a load, or for the load that replaces it.
package typealias ReloadCaller<Reason: ReloadReason, Value: Sendable> = CarriedCaller<ReloadFlight<Reason, Value>>
