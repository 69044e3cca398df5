import CoalescingTasks

/// A reason of each policy.
enum Trigger: ReloadReason, Hashable, CaseIterable {
  case appear, pull, change

  var policy: ReloadPolicy {
    switch self {
    case .appear: .join
    case .pull: .rerun
    case .change: .supersede
    }
  }

  init(_ policy: ReloadPolicy) { self = Trigger.allCases.first { $0.policy == policy }! }
}
