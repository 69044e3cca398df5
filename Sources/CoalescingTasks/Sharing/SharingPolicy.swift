/// What a request does while a load is running.
///
/// Used by ``Reloader``; and by ``TaskCoalescer/value(for:policy:name:priority:_:)`` (for each key) and
/// ``RenewingValue/value(policy:)``, where a load is an operation or a renewal and nothing is applied. The policy of
/// the running load does not matter.
///
/// | | callers of the running load get | callers of a load that waits to follow it get | the new caller gets |
/// |---|---|---|---|
/// | `.join` | the running load | their own | the running load |
/// | `.rerun` | the running load | their own, shared with the new caller | the next load |
/// | `.supersede` | the new load | the new load | the new load |
///
/// If no load is running, any request starts one, unless `.join` is content with a valid kept value.
public enum SharingPolicy: Hashable, Sendable, CaseIterable {
  /// Joins the running load.
  ///
  /// A load can be joined until its result has been applied, but not while it waits to follow another load.
  case join

  /// Lets the running load finish and its result be applied, then loads once more.
  ///
  /// All such requests share one next load, for the reason of the last request.
  case rerun

  /// Cancels the running load, whose result is never applied, and loads now.
  ///
  /// The new load begins when the old operation has been cancelled, not when it has ended. An old operation that stores its result
  /// itself, and checks `Task.isCancelled` under the same lock, therefore never overwrites a newer one. A result that is already
  /// being applied cannot be replaced: its callers get it, and the new result is applied after it.
  case supersede
}
