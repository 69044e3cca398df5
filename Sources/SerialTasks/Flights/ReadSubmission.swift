/// A submitted read: a caller with a handle instead of a waiting task, which is settled in one step with the read.
///
/// Safe because `flight` is written once, under the lock of the line, before the read can end or the handle is returned.
@usableFromInline
package final class ReadSubmission<Value: Sendable>: TypedSubmission<Value>, @unchecked Sendable {
  /// The read that it leads or has joined; `nil` if it was rejected.
  @exclusivity(unchecked) @usableFromInline package var flight: TypedReadFlight<Value>?

  @inlinable
  package init(line: Line, name: String?, priority: TaskPriority) {
    super.init(.submitted, line: line, name: name, priority: priority)
  }

  @usableFromInline
  package override var standIn: Job { flight?.read ?? self }

  package override var stakeOfEnd: Stake? { flight?.stake }

  @usableFromInline
  package override func cancel() { if let flight { line.leave(self, .cancelled) { flight } } }

  @usableFromInline
  package override func blockersOfEnd() -> Blockers { flight.map { $0.line.blockers(of: $0, self) } ?? .none }

  @usableFromInline
  package override func settleWithRead() { settle(flight!.result!) }
}
