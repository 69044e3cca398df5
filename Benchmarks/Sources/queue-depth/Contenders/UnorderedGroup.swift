/// The floor of waiting callers: they are children of a task group, as those of all others are, and nothing else.
struct UnorderedGroup: Contender {
  static let title = "unordered task group"
  static let keepsOrder = false

  nonisolated(nonsending) func enqueue(_ work: Work) async { await work() }
}
