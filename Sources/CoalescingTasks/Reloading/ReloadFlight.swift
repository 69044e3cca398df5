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
/// In `landing`, the phase is `flying`, and ``Succession/landing`` is this load. Then it can only land.
@usableFromInline
package typealias ReloadFlight<Reason: ReloadReason, Value: Sendable> =
  Flight<OwnerAndReason<Reason>, Result<Value, any Error>?>

@usableFromInline
package struct OwnerAndReason<Reason: ReloadReason>: KeptOfFlight {
  let owner: OwnerOfFlight
  package let reason: SharedReason<Reason>

  @usableFromInline package var label: String { owner.label }

  @usableFromInline package var stake: Stake? { owner.stake }
}

/// The reason of a load, or of the last request that shares it.
package final class SharedReason<Reason: ReloadReason>: Sendable {
  private let lock: Lock<Reason>

  init(_ reason: Reason) { lock = Lock(reason) }

  package var value: Reason { lock.withLock { $0 } }

  /// Returns the old reason, which is to be released outside every lock.
  func replace(with reason: Reason) -> Reason {
    lock.withLock { value in
      let old = value
      value = reason
      return old
    }
  }
}

package struct ReloadRequest<Reason: ReloadReason>: ~Copyable, Sendable {
  let owner: OwnerOfFlight
  let reason: Reason
  let policy: SharingPolicy
  let name: String?
  let priority: UInt8

  package init(
    owner: OwnerOfFlight, reason: Reason, policy: SharingPolicy, name: String? = nil, priority: UInt8 = 0
  ) {
    self.owner = owner
    self.reason = reason
    self.policy = policy
    self.name = name
    self.priority = priority
  }
}
