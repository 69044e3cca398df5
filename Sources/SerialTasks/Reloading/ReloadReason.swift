/// Why a screen is loaded again, and what that means for a load that runs already.
///
/// ```swift
/// enum Reason: ReloadReason {
///   case firstDisplay, pullToRefresh, settingsChanged
///   var policy: ReloadPolicy {
///     switch self {
///     case .firstDisplay: .join
///     case .pullToRefresh: .rerun
///     case .settingsChanged: .supersede
///     }
///   }
/// }
/// ```
public protocol ReloadReason: Sendable {
  /// What a request for this reason does when a load runs already.
  ///
  /// Asked once for each request, outside every lock.
  var policy: ReloadPolicy { get }
}

/// What a request does when a load runs already.
///
/// Only the request's own policy counts: what runs has no say in what becomes of it.
///
/// | asked, while this runs | `.join` | `.rerun` | `.supersede` |
/// |---|---|---|---|
/// | `.join` | joins | joins | joins |
/// | `.rerun` | follows | follows | follows |
/// | `.supersede` | replaces | replaces | replaces |
///
/// What is returned or thrown to whom:
///
/// | | the callers of the load that runs | the callers of a load that waits to follow it | the new caller |
/// |---|---|---|---|
/// | **joins** | get what it returns | get what theirs returns | gets what the running one returns |
/// | **follows** | get what it returns, and do not wait for the next load | share theirs with the new caller | gets what the load that follows returns |
/// | **replaces** | get what the new load returns | get what the new load returns | gets what the new load returns |
///
/// Where nothing runs, each of them starts a load.
public enum ReloadPolicy: Hashable, Sendable, CaseIterable {
  /// A running load is good enough.
  ///
  /// A load runs until its result was applied. A load that still waits to follow another is not what is joined.
  case join

  /// Lets the running load finish and land, then loads once more.
  ///
  /// However many ask for it meanwhile, one load follows, for the reason that came last.
  case rerun

  /// Cancels the running load, whose result never lands, and loads now.
  ///
  /// The new load does not wait for the old one's operation, which may still be winding down. Callers of the old load, and of
  /// one that waits to follow it, are carried over to the new one. A result that is just being applied is past being replaced:
  /// it lands, its callers get it, and the new load lands after it.
  case supersede
}
