/// The floor of submitted jobs: a task for each, which runs when it likes.
struct BareTask: Submitting {
  static let title = "bare Task {}"
  static let keepsOrder = false

  nonisolated(nonsending) func enqueue(_ work: Work) async { await Task { await work() }.value }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
    Task {
      await work()
      done()
    }
  }
}
