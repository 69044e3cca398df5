/// One renewal of a ``RenewingValue``: a flight that, once begun, runs to its end even if all callers leave.
///
/// ```
///               begin                  land, or a newer one has landed
///   boarding ──────────► flying ───────────────────► landed     its callers have a value or an error
///      │                    │
///      └─ clear, supersede ─┴──────────────────────► abandoned  never begins; or is cancelled, and its result is discarded
/// ```
@usableFromInline
package typealias Renewal<Value: Sendable> = Flight<OwnerOfFlight, Result<Value, any Error>?>

package struct RenewalRequest: Sendable {
  let owner: OwnerOfFlight
  let policy: SharingPolicy
  let priority: UInt8
  /// The renewal whose value the caller rejects, if it is the newest.
  package internal(set) var rejected: UInt64?
  /// Why the caller must neither wait nor start a renewal.
  package internal(set) var refusal: JobRejection?
  /// By the value's clock.
  package internal(set) var now: Duration
  /// The renewal that had returned the newest value before the clock was read.
  let seen: UInt64?

  package init(
    owner: OwnerOfFlight, policy: SharingPolicy = .join, priority: UInt8 = 0, rejected: UInt64? = nil,
    seen: UInt64? = nil, now: Duration = .zero
  ) {
    self.owner = owner
    self.policy = policy
    self.priority = priority
    self.rejected = rejected
    self.seen = seen
    self.now = now
  }
}
