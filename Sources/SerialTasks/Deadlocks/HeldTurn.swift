// Queries about the turns that the running code holds (`TurnMarker`).

extension HeldTurn {
  /// Returns whether the running code holds a turn of this node.
  @usableFromInline
  package static func isInside(_ asked: WaitNode) -> Bool { node { $0.resource === asked } != nil }

  /// Returns the innermost node that satisfies the condition, and of which the running code holds a turn.
  package static func node(where isMeant: (WaitNode) -> Bool) -> WaitNode? {
    var held = innermost
    while let turn = held {
      if isMeant(turn.node) { return turn.node }
      held = turn.outer
    }
    return nil
  }

  /// The nodes of all turns that the running code certainly holds, innermost first.
  static var chain: [WaitNode] {
    var chain: [WaitNode] = []
    _ = node {
      chain.append($0)
      return false
    }
    return chain
  }
}
