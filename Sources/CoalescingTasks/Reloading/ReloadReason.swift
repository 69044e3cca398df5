/// Why a screen is loaded again, and what that means for a running load.
///
/// ```swift
/// enum Reason: ReloadReason {
///   case firstDisplay, pullToRefresh, settingsChanged
///   var policy: SharingPolicy {
///     switch self {
///     case .firstDisplay: .join
///     case .pullToRefresh: .rerun
///     case .settingsChanged: .supersede
///     }
///   }
/// }
/// ```
public protocol ReloadReason: Sendable {
  /// What a request for this reason does while a load is running.
  ///
  /// Read once for each request, outside every lock.
  var policy: SharingPolicy { get }
}
