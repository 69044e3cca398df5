import SerialTasksTesting

/// Who made a call, known wherever the call is carried out: a read that is shared runs with the task-locals of its leader.
struct Caller: Sendable {
  @TaskLocal static var current: Caller?

  let name: String
  /// Opened when the call has its place, or is under way; only then the next is asked for, so that the order asked is known.
  let placed = Gate()
  /// Opened when every call of the same moment is asked for.
  ///
  /// None of them ends before, so what comes at the same moment does so on a busy machine too.
  let moment: Gate
}
