/// What belongs to the flights of an owner that has no keys.
@usableFromInline
package struct OwnerOfFlight: KeptOfFlight {
  let id: ObjectIdentifier
  let name: String?
  let type: Any.Type

  package init(_ owner: AnyObject, named name: String? = nil) {
    (id, self.name, type) = (ObjectIdentifier(owner), name, Swift.type(of: owner))
  }

  @usableFromInline package var label: String { name ?? WaitNode.shortID("\(type)", of: id) }

  /// Also the request of a call that may join the flight.
  @usableFromInline package var stake: Stake? { Stake(id, label: label) }
}
