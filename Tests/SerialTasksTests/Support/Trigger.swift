import CoalescingTasks

/// A reason of each policy.
enum Trigger: ReloadReason, Hashable, CaseIterable {
  case appear, pull, change

  var policy: SharingPolicy {
    switch self {
    case .appear: .join
    case .pull: .rerun
    case .change: .supersede
    }
  }

  init(_ policy: SharingPolicy) { self = Trigger.allCases.first { $0.policy == policy }! }
}
