/// Where the callers are.
package enum Context: String, CaseIterable, Codable, Sendable {
  case pool
  case mainActor = "main-actor"
}

/// What is measured, and under which circumstances.
package struct Setting: Hashable, Sendable {
  package let workload: String
  /// What the jobs do; `nil` where none of them runs.
  package let jobKind: String?
  package let context: Context
  package let depth: Int

  package init(workload: String, jobKind: String?, context: Context, depth: Int) {
    self.workload = workload
    self.jobKind = jobKind
    self.context = context
    self.depth = depth
  }

  /// This setting without its depth: what belongs on one chart.
  package var series: Setting { Setting(workload: workload, jobKind: jobKind, context: context, depth: 0) }

  package var title: String {
    [workload, jobKind, context == .pool ? "from the pool" : "from the main actor"].compactMap(\.self)
      .joined(separator: " · ")
  }
}

extension Context {
  /// The body as that of a task that begins, and stays, where the callers are.
  package func here(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Void
  ) -> @isolated(any) @Sendable () async -> Void {
    switch self {
    case .pool: { await body() }
    case .mainActor: { @MainActor in await body() }
    }
  }
}
