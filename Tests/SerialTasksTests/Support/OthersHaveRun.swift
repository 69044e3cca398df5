import SerialTasksTesting

/// Returns when tasks that were started before have most likely run: for a test that there are none.
///
/// It may return too early, and then the test sees less than it could. It never fails for that.
nonisolated(nonsending) func othersHaveRun() async {
  for _ in 0..<10 {
    let behind = Gate()
    Task.detached(priority: .background) { behind.open() }
    await behind.pass()
  }
}
