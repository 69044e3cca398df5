/// A turn that the running code certainly holds: it runs in the job itself, or in a child task that the job awaits.
///
/// The innermost comes first; `outer` leads to those that were held when it began.
@usableFromInline
package struct HeldTurn {
  private let marker: TurnMarker.Certain

  @usableFromInline package static var innermost: HeldTurn? { TurnMarker.innermost.map(HeldTurn.init) }

  private init(_ marker: TurnMarker.Certain) { self.marker = marker }

  package var holder: TurnHolder { marker.holder }
  package var outer: HeldTurn? { marker.outer.map(HeldTurn.init) }
}

extension HeldTurn {
  /// Whether the running code holds a turn of this holder.
  @usableFromInline
  static func isInside(_ asked: TurnHolder) -> Bool { holder { $0.resource === asked } != nil }

  /// The innermost of the holders of which the running code holds a turn that is meant.
  static func holder(where isMeant: (TurnHolder) -> Bool) -> TurnHolder? {
    var held = innermost
    while let turn = held {
      if isMeant(turn.holder) { return turn.holder }
      held = turn.outer
    }
    return nil
  }

  /// The holders of all turns that the running code certainly has, the innermost first.
  static var chain: [TurnHolder] {
    var chain: [TurnHolder] = []
    var held = innermost
    while let turn = held {
      chain.append(turn.holder)
      held = turn.outer
    }
    return chain
  }
}
