/// Lends lines to submitted jobs and wants them back: whoever has more than one line, and keeps only those that are
/// used.
///
/// A class and not a protocol, for a reference to it takes half the room in each waiting job.
@usableFromInline
package class LineOwner: @unchecked Sendable {
  // Safe because it has nothing of its own; `@unchecked` is for those who inherit.

  /// The submitted job does not use its line any more; to be called once.
  package func release(from submission: Submission) { preconditionFailure("every owner takes its lines back") }

  /// Holds the line of the submitted job for a moment, to be given back with ``release(_:)``.
  ///
  /// - Returns: Whether it is held; not if the job does not use it any more.
  package func hold(for submission: Submission) -> Bool { preconditionFailure("every owner holds its lines") }

  package func release(_ line: Line) { preconditionFailure("every owner takes its lines back") }
}
