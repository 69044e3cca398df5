// What is asked of the turns that the running code holds, however they are marked (`TurnMarker`).

extension HeldTurn {
  /// Returns whether the running code holds a turn of this node.
  @usableFromInline
  package static func isInside(_ asked: WaitNode) -> Bool { node { $0.resource === asked } != nil }

  /// Returns the innermost of the nodes of which the running code holds a turn that is meant.
  package static func node(where isMeant: (WaitNode) -> Bool) -> WaitNode? {
    var held = innermost
    while let turn = held {
      if isMeant(turn.node) { return turn.node }
      held = turn.outer
    }
    return nil
  }

  /// The nodes of all turns that the running code certainly has, the innermost first.
  static var chain: [WaitNode] {
    var chain: [WaitNode] = []
    _ = node {
      chain.append($0)
      return false
    }
    return chain
  }
}
