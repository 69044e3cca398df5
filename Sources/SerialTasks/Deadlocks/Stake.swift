/// What a turn holds, or what a call requests, for `potentialDeadlocks` (``OrderHook``).
@usableFromInline
package struct Stake: Sendable {
  @usableFromInline
  package struct Key: Sendable {
    package let key: any Hashable & Sendable
    package let hash: Int

    package init(_ key: any Hashable & Sendable, hash: Int) { (self.key, self.hash) = (key, hash) }
  }

  package enum Mode: Sendable {
    case alone
    /// Excludes stakes that are not shared.
    case shared
    /// Shared, but a call for the same types waits for its end.
    case joined(value: ObjectIdentifier, failure: ObjectIdentifier)
    /// A call with a limit for such a read: it waits only if that runs.
    case joins(value: ObjectIdentifier, failure: ObjectIdentifier)
    /// A call that waits until no other stake is held.
    case drain
  }

  /// A line, coalescer, reloader or renewing value, which exists while this is reported.
  package let owner: ObjectIdentifier
  package let label: String
  /// `nil` for all.
  package internal(set) var keys: [Key]?
  package var mode = Mode.alone
  package var slots: Int?
  package internal(set) var job: String?
  /// Whether the call waits only for running jobs.
  package internal(set) var goesFirst = false

  package init(_ owner: ObjectIdentifier, label: String, keys: [Key]? = nil, mode: Mode = .alone) {
    (self.owner, self.label, self.keys, self.mode) = (owner, label, keys, mode)
  }
}
