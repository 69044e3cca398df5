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

  /// The cycle that a wait for this holder would close, if it would.
  ///
  /// O(depth of nesting); called only by those who have to wait. No holder is asked for its name unless the running
  /// code holds a turn of it, for until then it may be about to change.
  @usableFromInline
  static func cycle(closedBy asked: TurnHolder) -> DeadlockError? {
    guard isInside(asked) else { return nil }
    var path = [asked.label]
    var held = innermost
    while let turn = held {
      path.append(turn.holder.label)
      if turn.holder.resource === asked { return DeadlockError(path: path.reversed()) }
      held = turn.outer
    }
    return nil
  }
}
