/// What lasts as long as a wait does and is ended with it: its edge in the wait graph, or its time limit.
@usableFromInline
package class OngoingWait: @unchecked Sendable {
  // Safe because it has no state.

  @usableFromInline init() {}

  /// The wait has ended, however it did.
  @usableFromInline func end() { preconditionFailure("abstract") }
}
