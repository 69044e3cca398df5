/// What a request does while a load is running.
///
/// Of a ``Reloader``, and by key of a ``TaskCoalescer`` (``TaskCoalescer/value(for:policy:name:priority:_:)``). There a load is an
/// operation of the key, and nothing is applied.
///
/// Only the policy of the request counts; the policy of the running load does not.
///
/// | requested, while this is running | `.join` | `.rerun` | `.supersede` |
/// |---|---|---|---|
/// | `.join` | joins | joins | joins |
/// | `.rerun` | follows | follows | follows |
/// | `.supersede` | replaces | replaces | replaces |
///
/// Each caller gets the result or the error of one load:
///
/// | | callers of the running load | callers of a load that waits to follow it | the new caller |
/// |---|---|---|---|
/// | **joins** | the running load | their own | the running load |
/// | **follows** | the running load; they do not wait for the next | their own, shared with the new caller | the next load |
/// | **replaces** | the new load | the new load | the new load |
///
/// If no load is running, a request of any policy starts one.
public enum ReloadPolicy: Hashable, Sendable, CaseIterable {
  /// Joins the running load.
  ///
  /// A load runs until its result was applied. A load that still waits to follow another load is not joined.
  case join

  /// Lets the running load finish and its result be applied, then loads once more.
  ///
  /// However many requests arrive in the meantime, one load follows, for the reason of the last request.
  case rerun

  /// Cancels the running load, whose result is never applied, and loads now.
  ///
  /// The new load does not wait for the operation of the old one, which may still be winding down. The callers of the old
  /// load, and of a load that waits to follow it, are carried over to the new one. A result that is just being applied cannot
  /// be replaced any more: it lands, its callers get it, and the result of the new load is applied after it.
  case supersede
}
