extension HeldTurn {
  @usableFromInline
  package static func isInside(_ asked: WaitNode) -> Bool { node { $0.resource === asked } != nil }

  package static func node(where isMeant: (WaitNode) -> Bool) -> WaitNode? {
    var held = innermost
    while let turn = held {
      if isMeant(turn.node) { return turn.node }
      held = turn.outer
    }
    return nil
  }

  /// Innermost first.
  static var chain: [WaitNode] {
    var chain: [WaitNode] = []
    _ = node {
      chain.append($0)
      return false
    }
    return chain
  }
}
