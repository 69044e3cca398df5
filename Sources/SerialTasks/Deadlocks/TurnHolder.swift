/// What a turn can be a turn of, as the deadlock markers see it: something with a name that jobs run in.
@usableFromInline
package class TurnHolder: @unchecked Sendable {
  // Safe because it has no mutable state; `@unchecked` only because a class with subclasses cannot say so.

  package final let name: String?
  private final let type: StaticString
  final let slot = TurnSlot.take()

  package init(name: String?, type: StaticString) {
    self.name = name
    self.type = type
  }

  deinit { TurnSlot.giveBack(slot) }

  /// The name, or the type and a short id.
  package final var label: String {
    name ?? "\(type)#\(String(UInt(bitPattern: ObjectIdentifier(self)) >> 4 & 0xffff, radix: 16))"
  }
}
