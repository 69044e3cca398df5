/// The line of one key for as long as somebody uses it, and then of another.
///
/// Safe because all mutable properties are written only under the lock of the table; the key is also read without it,
/// by users of the line, whose use is counted after the key was written and ends before it is taken away.
@usableFromInline
package final class KeyedLine<Key: Hashable & Sendable>: Line, @unchecked Sendable {
  /// How many jobs have come to this line, or are about to, and are not done with it.
  @exclusivity(unchecked) @usableFromInline package internal(set) var users = 0
  /// Whose line it is; `nil` while it is nobody's.
  @exclusivity(unchecked) @usableFromInline package internal(set) var key: StableKey<Key>?
  /// Rises with every key that becomes busy: what is done to all keys is done in this order.
  @exclusivity(unchecked) @usableFromInline package internal(set) var since: UInt64 = 0
  /// The lines among which it is one, known by address and not kept alive.
  let owner: ObjectIdentifier

  package init(
    owner: ObjectIdentifier, name: String?, capacity: Int?, onEvent: (@Sendable (TaskEvent) -> Void)?
  ) {
    self.owner = owner
    super.init(name: name, type: "KeyedSerialTaskExecutor", capacity: capacity, onEvent: onEvent)
  }

  package override var label: String { KeyedLine.label(key?.key, executor: name, owner: owner) }

  /// What events and deadlocks call the line of the key: `accounts[ann]`.
  static func label(_ key: Key?, executor: String?, owner: ObjectIdentifier) -> String {
    let executor = executor ?? WaitNode.shortID("KeyedSerialTaskExecutor", of: owner)
    return key.map { "\(executor)[\($0)]" } ?? executor
  }
}
