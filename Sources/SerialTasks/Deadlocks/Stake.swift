/// What a turn holds, or what a call requests, for `potentialDeadlocks` (``OrderHook``).
@usableFromInline
package struct Stake: Sendable {
  @usableFromInline
  package struct Key: Sendable {
    package let key: any Hashable & Sendable
    /// Its hash, computed once.
    package let hash: Int

    package init(_ key: any Hashable & Sendable, hash: Int) { (self.key, self.hash) = (key, hash) }
  }

  package enum Mode: Sendable {
    /// Nothing else.
    case alone
    /// Other shared stakes.
    case shared
    /// Other shared stakes; a call for the same types waits for the end of this one.
    case joined(value: ObjectIdentifier, failure: ObjectIdentifier)
    /// A call for such a read, with a limit: it waits only for the end of a running read.
    case joins(value: ObjectIdentifier, failure: ObjectIdentifier)
    /// A call that waits until nothing else holds it.
    case drain
  }

  /// The owner: a line, a coalescer, a reloader or a renewing value, which exists while this is reported.
  package let owner: ObjectIdentifier
  package let label: String
  /// The keys; `nil` for all.
  package var keys: [Key]?
  package var mode = Mode.alone
  package var slots: Int?
  package var job: String?
  /// Whether the call waits only for running jobs.
  package var goesFirst = false

  package init(_ owner: ObjectIdentifier, label: String, keys: [Key]? = nil, mode: Mode = .alone) {
    self.owner = owner
    self.label = label
    self.keys = keys
    self.mode = mode
  }

  package init(of line: WaitNode, label: String, mode: Mode = .alone) {
    self.init(ObjectIdentifier(line), label: label, mode: mode)
  }
}
