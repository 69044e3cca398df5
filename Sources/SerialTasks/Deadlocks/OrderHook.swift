import Synchronization

/// The hook of `potentialDeadlocks`: who requests what while holding what, and which call is rejected as a deadlock.
///
/// Called without a lock, in the task of the call. While it is not set, a call in a turn only reads a flag.
package enum OrderHook {
  package struct Observer: Sendable {
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
