/// What a task of a program over several executors does, and what the jobs do that it asks for.
indirect enum DeadlockAct: Sendable, Hashable {
  typealias Acts = [DeadlockAct]

  case step
  /// Asks for something and waits, for a limited time or as long as it takes; does more while it holds that.
  case call(DeadlockTarget, Acts, isLimited: Bool = false)
  /// Submits a job, and waits for it after something else, or not at all.
  case submit(DeadlockTarget, Acts, meanwhile: Acts?)
  case drain(DeadlockRecord.Queue)
  /// Child tasks, which are awaited by the task that starts them.
  case group([Acts])
  case asyncLet(Acts, Acts)
  /// A task that is not awaited.
  case unstructured(Acts, atOnce: Bool)
}

/// What can be held.
enum DeadlockTarget: Sendable, Hashable {
  /// One of three serial executors.
  case line(Int)
  /// One key of an executor of keys, or several, in the order in which they are named, or none.
  case keys(Int, [Int])
  /// A write of these keys of a repository, or of every key.
  case write([Int]?)
  /// A read of one of two types.
  case read(Int, isText: Bool = false)
  case flight(Int)
  case reload
  case renewal
}

extension DeadlockAct {
  /// What is done inside it.
  private var inner: Acts {
    switch self {
    case .call(_, let acts, _), .unstructured(let acts, _): acts
    case .submit(_, let acts, let meanwhile): acts + (meanwhile ?? [])
    case .group(let children): Array(children.joined())
    case .asyncLet(let one, let other): one + other
    case .step, .drain: []
    }
  }

  /// How many acts there are in it.
  var count: Int { inner.reduce(1) { $0 + $1.count } }

  var drains: Bool { if case .drain = self { true } else { inner.contains(where: \.drains) } }

  /// The same without some of what is done inside.
  func part(_ random: inout SplitMix) -> DeadlockAct {
    let all = inner.map { (isLeftOut: random.once(in: 3), act: $0.part(&random)) }
    let some = all.filter { !$0.isLeftOut }.map(\.act)
    return switch self {
    case .call(let target, _, let isLimited): .call(target, some, isLimited: isLimited)
    case .submit(let target, _, let meanwhile): .submit(target, some, meanwhile: meanwhile.map { _ in [] })
    case .group: .group(some.map { [$0] })
    case .asyncLet: .asyncLet(some, [])
    case .unstructured(_, let atOnce): .unstructured(some, atOnce: atOnce)
    case .step, .drain: self
    }
  }
}
