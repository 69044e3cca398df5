/// A way of running jobs one after the other, or of not caring about the order.
protocol Contender: Sendable {
  static var title: String { get }
  static var keepsOrder: Bool { get }
  /// Whether its jobs may suspend.
  static var jobsMaySuspend: Bool { get }

  init()

  /// Waits for the job; this is what one of many callers does.
  nonisolated(nonsending) func enqueue(_ work: Work) async

  /// As many queues as there are keys.
  static func keyed() -> any Keyed
}

extension Contender {
  static var keepsOrder: Bool { true }
  static var jobsMaySuspend: Bool { true }
}

/// One that takes jobs from synchronous code, too.
protocol Submitting: Contender {
  func submit(_ work: Work, then done: @escaping @Sendable () -> Void)
}

/// One whose waiting callers go away when their tasks are cancelled.
protocol Leavable: Contender {
  /// From here on no job gets a turn.
  func block() async
  nonisolated(nonsending) func enqueueOrLeave() async
  var waiting: Int { get async }
}
