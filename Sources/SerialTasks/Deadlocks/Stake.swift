/// What a turn keeps from others, or what a call asks for, as a test sees it that watches (``OrderHook``).
@usableFromInline
package struct Stake: Sendable {
  /// What tells one key of an owner from another.
  @usableFromInline
  package struct Key: Sendable {
    package let key: any Hashable & Sendable
    /// Its hash, taken once.
    package let hash: Int

    package init(_ key: any Hashable & Sendable, hash: Int) { (self.key, self.hash) = (key, hash) }
  }

  /// Who else may have it at the same time.
  package enum Mode: Sendable {
    /// No other.
    case alone
    /// Those that share it, too.
    case shared
    /// Those that share it; a call for the same types waits for the end of this one.
    case joined(value: ObjectIdentifier, failure: ObjectIdentifier)
    /// A call for such a read that has a limit on waiting for its turn: it waits only to the end of one that has begun.
    case joins(value: ObjectIdentifier, failure: ObjectIdentifier)
    /// A call that waits until no other has it.
    case drain
  }

  /// Whose it is: a line, a coalescer, a reloader, a renewing value, which is there while this is told.
  package let owner: ObjectIdentifier
  /// What deadlocks call the owner.
  package let label: String
  /// Which keys; `nil` for all.
  package var keys: [Key]?
  package var mode = Mode.alone
  /// How many jobs have a slot at the same time, if it needs one.
  package var slots: Int?
  /// The name of the job that a call awaits.
  package var job: String?
  /// Whether the call waits only for those that run.
  package var goesFirst = false

  package init(_ owner: ObjectIdentifier, label: String, keys: [Key]? = nil, mode: Mode = .alone) {
    self.owner = owner
    self.label = label
    self.keys = keys
    self.mode = mode
  }

  /// All of a line.
  package init(of line: WaitNode, label: String, mode: Mode = .alone) {
    self.init(ObjectIdentifier(line), label: label, mode: mode)
  }
}
