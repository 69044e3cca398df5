/// What belongs to the flights of an owner that has no keys.
@usableFromInline
package struct OwnerOfFlight: KeptOfFlight {
  let id: ObjectIdentifier
  let name: String?
  let type: Any.Type

  /// Names an owner that may have no name.
  package init(_ owner: AnyObject, named name: String? = nil) {
    (id, self.name, type) = (ObjectIdentifier(owner), name, Swift.type(of: owner))
  }

  @usableFromInline package var label: String { name ?? WaitNode.shortID("\(type)", of: id) }

  /// What a flight holds; also the request of a call that may join it.
  @usableFromInline package var stake: Stake? { Stake(id, label: label) }
}
