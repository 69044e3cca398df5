/// One renewal of a ``RenewingValue``: a flight that runs to its end even if all callers leave.
///
/// ```
///               begin                  land, or a newer one has landed
///   boarding ──────────► flying ───────────────────► landed     its callers have a value or an error
///      │                    │
///      └──── clear ─────────┴──────────────────────► abandoned  never begins; or is cancelled, and its result is discarded
/// ```
@usableFromInline
package typealias Renewal<Value: Sendable> = Flight<RenewalAnswer<Value>>

/// The fields of a renewal.
///
/// Mutable fields are accessed only under the lock of the value, except `answer`, which says why.
@usableFromInline
package struct RenewalAnswer<Value: Sendable>: KeptOfFlight {
  /// The renewing value.
  let owner: ObjectIdentifier
  let ownerName: String?
  /// When it was requested, on the value's clock.
  let began: Duration

  /// The result for its callers.
  ///
  /// Written once, under the lock, when the renewal lands, and read only after that.
  package internal(set) var answer: Result<Value, any Error>?

  @usableFromInline package var label: String { Self.label(ownerName, owner) }

  @usableFromInline package var stake: Stake? { Stake(owner, label: label) }

  static func label(_ name: String?, _ owner: ObjectIdentifier) -> String {
    name ?? WaitNode.shortID("RenewingValue<\(Value.self)>", of: owner)
  }
}

/// A request, and the properties of its renewal if it starts one.
package struct RenewalRequest: Sendable {
  let owner: ObjectIdentifier
  let name: String?
  let priority: UInt8
  /// The renewal that returned the value that the caller rejects, if that value was the newest.
  package var rejected: UInt64?
  /// Why the caller must neither wait nor start a renewal.
  package var refusal: JobRejection?
  /// When the request was made, on the value's clock.
  package var now: Duration
  /// The renewal that had returned the newest value when the clock was read again for this request.
  package var seen: UInt64?

  package init(
    owner: ObjectIdentifier, name: String? = nil, priority: UInt8 = 0, rejected: UInt64? = nil,
    refusal: JobRejection? = nil, now: Duration = .zero
  ) {
    self.owner = owner
    self.name = name
    self.priority = priority
    self.rejected = rejected
    self.refusal = refusal
    self.now = now
  }
}
