/// A submitted caller of work that others share: a handle in place of a waiting task, settled in one step with the work.
///
/// Safe because `work` is written once, under the lock of the line, before the work can end or the handle is returned.
@usableFromInline
package final class SharedSubmission<Value: Sendable, Work: SharedWork>: TypedSubmission<Value>, @unchecked Sendable
where Work.Kept == Result<Value, any Error>? {
  /// The work that it leads or has joined; `nil` if it was rejected.
  @exclusivity(unchecked) @usableFromInline package var work: Work?

  @_alwaysEmitIntoClient package init(line: Line, name: String?, priority: TaskPriority) {
    super.init(.submitted, line: line, name: name, priority: priority)
  }

  @usableFromInline package override var standIn: Job { work?.standIn ?? self }

  override var stakeOfEnd: Stake? { work?.stake }

  @usableFromInline package override func cancel() { work?.cancel(self) }

  @usableFromInline package override func blockersOfEnd() -> Blockers { work?.blockers(of: self) ?? .none }

  @usableFromInline package override func settleWithWork() { settle(work!.result!) }
}

/// What its submitted callers ask without a lock, and what never changes but the result.
@usableFromInline package protocol SharedWork: AnyObject, Sendable {
  associatedtype Kept

  var standIn: Job { get }
  var stake: Stake? { get }

  /// Written before the callers are settled.
  var result: Kept { get }

  func cancel(_ caller: Submission)

  func blockers(of caller: Submission) -> Blockers
}
