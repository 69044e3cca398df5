import Comparing

/// A way for many callers to get a value.
protocol Contender: Sendable {
  static var title: String { get }
  /// Whether callers of one key share one operation.
  static var shares: Bool { get }
  /// Whether a caller goes away when its task is cancelled.
  static var callersMayLeave: Bool { get }

  init()

  nonisolated(nonsending) func value(for key: Int, _ operation: @escaping @Sendable () async -> Int) async -> Int?

  /// How many callers of a shared operation have come; not asked of those that share nothing.
  var callers: Int { get async }
}
