import Synchronization

/// The hook of `potentialDeadlocks`, in SerialTasksTesting: which call requests what while it holds what, and which is
/// rejected as a deadlock.
///
/// In production it is not set, and a call in a turn reads one flag. It is called outside of every lock, in the task of
/// the call.
package enum OrderHook {
  package struct Observer: Sendable {
    /// Gets the innermost turn that the task certainly holds, and a closure that returns what is requested, and by which job.
    let asks: @Sendable (_ held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) -> Void
    let isRejected: @Sendable (DeadlockError) -> Void

    package init(
      asks: @escaping @Sendable (_ held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) -> Void,
      isRejected: @escaping @Sendable (DeadlockError) -> Void
    ) { (self.asks, self.isRejected) = (asks, isRejected) }
  }

  private static let observer = Lock<Observer?>(nil)
  private static let flag = Atomic(false)

  @inline(__always) static var isSet: Bool { flag.load(ordering: .relaxed) }

  package static func set(_ observer: Observer?) {
    self.observer.withLock {
      $0 = observer
      flag.store(observer != nil, ordering: .relaxed)
    }
  }

  @inline(never)
  fileprivate static func call(_ held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) {
    observer.withLock { $0 }?.asks(held, wanted)
  }

  /// Reports that a call of the current task is rejected.
  static func rejects(_ deadlock: DeadlockError) {
    if isSet { observer.withLock { $0 }?.isRejected(deadlock) }
  }

  @inline(never)
  static func begins(_ node: WaitNode, in held: HeldTurn?) {
    call(held) { (node.isLimited ? nil : node.stake, node.job) }
  }
}

extension HeldTurn {
  @inline(__always)
  package func asks(for stake: @autoclosure () -> Stake?, job: @autoclosure () -> String? = nil) {
    if OrderHook.isSet { OrderHook.call(self) { (stake(), job()) } }
  }
}
