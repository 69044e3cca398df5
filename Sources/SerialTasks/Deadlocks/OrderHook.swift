import Synchronization

/// Who asks for what while holding what: the one thing that the library does for `potentialDeadlocks` of SerialTasksTesting.
///
/// In production it is not set, and a call in the task of a turn, or in one that was started there, looks at one flag. It is called
/// outside of every lock, in the task of the call.
package enum OrderHook {
  /// Is given the innermost turn that the task certainly holds, and what makes out what is asked for, and by which job.
  package typealias Hook = @Sendable (_ held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) -> Void

  private static let hook = Lock<Hook?>(nil)
  private static let flag = Atomic(false)

  @inline(__always) static var isSet: Bool { flag.load(ordering: .relaxed) }

  package static func set(_ hook: Hook?) {
    self.hook.withLock {
      $0 = hook
      flag.store(hook != nil, ordering: .relaxed)
    }
  }

  @inline(never)
  fileprivate static func call(_ held: HeldTurn?, _ wanted: () -> (stake: Stake?, job: String?)) {
    hook.withLock { $0 }?(held, wanted)
  }

  /// Notes that a turn of the node is about to begin in the current task.
  @inline(never)
  static func begins(_ node: WaitNode, in held: HeldTurn?) {
    call(held) { (node.isLimited ? nil : node.stake, node.job) }
  }
}

extension HeldTurn {
  /// Notes what a call asks for that holds this turn.
  @inline(__always)
  package func asks(for stake: @autoclosure () -> Stake?, job: @autoclosure () -> String? = nil) {
    if OrderHook.isSet { OrderHook.call(self) { (stake(), job()) } }
  }
}
