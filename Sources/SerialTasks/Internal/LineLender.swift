/// Lends lines to submitted jobs and wants them back: whoever has more than one line, and keeps only those that are
/// used.
@usableFromInline
package protocol LineLender: AnyObject, Sendable {
  /// The submitted job does not use its line any more; to be called once.
  func giveBack(from submission: Submission)

  /// Holds the line of the submitted job for a moment, to be given back with ``giveBack(_:)``.
  ///
  /// - Returns: Whether it is held; not if the job does not use it any more.
  func hold(for submission: Submission) -> Bool

  func giveBack(_ line: Line)
}
