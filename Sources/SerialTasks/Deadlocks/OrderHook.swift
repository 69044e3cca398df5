import Synchronization

/// The hook of `potentialDeadlocks`, in SerialTasksTesting: which call requests what while it holds what.
///
/// In production it is not set: a call in the task of a turn, or in a task started there, reads one flag. The hook is
/// called outside of every lock, in the task of the call.
package enum OrderHook {
  /// Gets the innermost turn that the task certainly holds, and a closure that returns what is requested, and by which job.
  package typealias Hook = @Sendable (_ held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) -> Void

  private struct Kept: Sendable { var hook: Hook? }
  private static let hook = Lock(Kept())
  private static let flag = Atomic(false)

  @inline(__always) static var isSet: Bool { flag.load(ordering: .relaxed) }

  package static func set(_ hook: Hook?) {
    self.hook.withLock {
      $0.hook = hook
      flag.store(hook != nil, ordering: .relaxed)
    }
  }

  @inline(never)
  fileprivate static func call(_ held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) {
    hook.withLock { $0.hook }?(held, wanted)
  }

  /// Reports that a turn of the node is about to begin in the current task.
  @inline(never)
  static func begins(_ node: WaitNode, in held: HeldTurn?) {
    call(held) { (node.isLimited ? nil : node.stake, node.job) }
  }
}

extension HeldTurn {
  /// Reports what a call requests that holds this turn.
  @inline(__always)
  package func asks(for stake: @autoclosure () -> Stake?, job: @autoclosure () -> String? = nil) {
    if OrderHook.isSet { OrderHook.call(self) { (stake(), job()) } }
  }
}
