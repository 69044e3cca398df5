/// A backend that takes its time, and counts.
actor Backend {
  let takes: Duration
  private(set) var calls = 0

  init(takes: Duration) { self.takes = takes }

  func call() async -> Int {
    calls += 1
    if takes > .zero { try? await Task.sleep(for: takes) }
    return calls
  }
}
