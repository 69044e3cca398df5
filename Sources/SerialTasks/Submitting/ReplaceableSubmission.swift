/// A submitted job whose place a newer one may take.
///
/// Safe because `series` is accessed only under the lock of the line.
@usableFromInline
package final class ReplaceableSubmission<Success: Sendable>: TypedSubmission<Success>, @unchecked Sendable {
  /// The jobs that have had its place; `nil` if it was rejected.
  @exclusivity(unchecked) @usableFromInline package var series: (any JobSeries)?

  @_alwaysEmitIntoClient package init(line: Line, name: String?, priority: TaskPriority) {
    super.init(.submitted, line: line, name: name, priority: priority)
  }

  package override var newest: Job { series?.newest ?? self }

  package override var standIn: Job { line.locked { _ in newest } }
}

/// Jobs that have had one place, one after the other.
@usableFromInline
package protocol JobSeries: AnyObject, Sendable {
  /// The job that has the place, or `nil` when it is settled; called under the lock of the line.
  var newest: Submission? { get }
}
