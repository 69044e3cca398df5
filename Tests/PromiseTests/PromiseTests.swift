import Testing

/// The table of `Tests/PROMISES.md`: each promise, of each way to hand in, join or await work.
///
/// Fails if: a way does not keep a promise. Why a promise is not made of a way is said in `Promise.exemption`.
@Suite(.watched) struct PromiseTests {
  @Test(arguments: Promise.order.ways) func order(_ way: Way) async throws { try await Promise.order.check(way) }
  @Test(arguments: Promise.overlap.ways) func overlap(_ way: Way) async throws { try await Promise.overlap.check(way) }
  @Test(arguments: Promise.sharing.ways) func sharing(_ way: Way) async throws { try await Promise.sharing.check(way) }
  @Test(arguments: Promise.cancelledBefore.ways) func cancelledBefore(_ way: Way) async throws {
    try await Promise.cancelledBefore.check(way)
  }
  @Test(arguments: Promise.cancelledWaiting.ways) func cancelledWaiting(_ way: Way) async throws {
    try await Promise.cancelledWaiting.check(way)
  }
  @Test(arguments: Promise.cancelledAsItBegins.ways) func cancelledAsItBegins(_ way: Way) async throws {
    try await Promise.cancelledAsItBegins.check(way)
  }
  @Test(arguments: Promise.cancelledRunning.ways) func cancelledRunning(_ way: Way) async throws {
    try await Promise.cancelledRunning.check(way)
  }
  @Test(arguments: Promise.cancelledUnsuspended.ways) func cancelledUnsuspended(_ way: Way) async throws {
    try await Promise.cancelledUnsuspended.check(way)
  }
  @Test(arguments: Promise.withdrawnWaiting.ways) func withdrawnWaiting(_ way: Way) async throws {
    try await Promise.withdrawnWaiting.check(way)
  }
  @Test(arguments: Promise.withdrawnRunning.ways) func withdrawnRunning(_ way: Way) async throws {
    try await Promise.withdrawnRunning.check(way)
  }
  @Test(arguments: Promise.closed.ways) func closed(_ way: Way) async throws { try await Promise.closed.check(way) }
  @Test(arguments: Promise.full.ways) func full(_ way: Way) async throws { try await Promise.full.check(way) }
  @Test(arguments: Promise.fullOverKeys.ways) func fullOverKeys(_ way: Way) async throws {
    try await Promise.fullOverKeys.check(way)
  }
  @Test(arguments: Promise.late.ways) func late(_ way: Way) async throws { try await Promise.late.check(way) }
  @Test(arguments: Promise.replaced.ways) func replaced(_ way: Way) async throws {
    try await Promise.replaced.check(way)
  }
  @Test(arguments: Promise.drafted.ways) func drafted(_ way: Way) async throws {
    try await Promise.drafted.check(way)
  }
  @Test(arguments: Promise.raisedWhileWaiting.ways) func raisedWhileWaiting(_ way: Way) async throws {
    try await Promise.raisedWhileWaiting.check(way)
  }
  @Test(arguments: Promise.raisedWhileRunning.ways) func raisedWhileRunning(_ way: Way) async throws {
    try await Promise.raisedWhileRunning.check(way)
  }
  @Test(arguments: Promise.raisedByAwaiting.ways) func raisedByAwaiting(_ way: Way) async throws {
    try await Promise.raisedByAwaiting.check(way)
  }
  @Test(arguments: Promise.raisedByDraining.ways) func raisedByDraining(_ way: Way) async throws {
    try await Promise.raisedByDraining.check(way)
  }
  @Test(arguments: Promise.error.ways) func error(_ way: Way) async throws { try await Promise.error.check(way) }
  @Test(arguments: Promise.events.ways) func events(_ way: Way) async throws { try await Promise.events.check(way) }
  @Test(arguments: Promise.handles.ways) func handles(_ way: Way) async throws { try await Promise.handles.check(way) }
  @Test(arguments: Promise.handlers.ways) func handlers(_ way: Way) async throws {
    try await Promise.handlers.check(way)
  }
  @Test(arguments: Promise.crowd.ways) func crowd(_ way: Way) async throws {
    try await Promise.crowd.check(way)
  }
  @Test(arguments: Promise.counted.ways) func counted(_ way: Way) async throws { try await Promise.counted.check(way) }
  @Test(arguments: Promise.paused.ways) func paused(_ way: Way) async throws { try await Promise.paused.check(way) }
  @Test(arguments: Promise.pausedWhileRunning.ways) func pausedWhileRunning(_ way: Way) async throws {
    try await Promise.pausedWhileRunning.check(way)
  }
  @Test(arguments: Promise.drained.ways) func drained(_ way: Way) async throws { try await Promise.drained.check(way) }
  @Test(arguments: Promise.shutDownInTime.ways) func shutDownInTime(_ way: Way) async throws {
    try await Promise.shutDownInTime.check(way)
  }
  @Test(arguments: Promise.shutDownWaiting.ways) func shutDownWaiting(_ way: Way) async throws {
    try await Promise.shutDownWaiting.check(way)
  }
  @Test(arguments: Promise.shutDownRunning.ways) func shutDownRunning(_ way: Way) async throws {
    try await Promise.shutDownRunning.check(way)
  }
  @Test(arguments: Promise.shutDownNow.ways) func shutDownNow(_ way: Way) async throws {
    try await Promise.shutDownNow.check(way)
  }
  @Test(arguments: Promise.shutDownInterrupted.ways) func shutDownInterrupted(_ way: Way) async throws {
    try await Promise.shutDownInterrupted.check(way)
  }
  @Test(arguments: Promise.released.ways) func released(_ way: Way) async throws {
    try await Promise.released.check(way)
  }
  @Test(arguments: Promise.captured.ways) func captured(_ way: Way) async throws {
    try await Promise.captured.check(way)
  }
  @Test(arguments: Promise.taskLocals.ways) func taskLocals(_ way: Way) async throws {
    try await Promise.taskLocals.check(way)
  }
  @Test(arguments: Promise.isolation.ways) func isolation(_ way: Way) async throws {
    try await Promise.isolation.check(way)
  }
  @Test(arguments: Promise.deadlockWithItself.ways) func deadlockWithItself(_ way: Way) async throws {
    try await Promise.deadlockWithItself.check(way)
  }
  @Test(arguments: Promise.deadlockInAChild.ways) func deadlockInAChild(_ way: Way) async throws {
    try await Promise.deadlockInAChild.check(way)
  }
  @Test(arguments: Promise.deadlockOfDrain.ways) func deadlockOfDrain(_ way: Way) async throws {
    try await Promise.deadlockOfDrain.check(way)
  }
  @Test(arguments: Promise.deadlockAcross.ways) func deadlockAcross(_ way: Way) async throws {
    try await Promise.deadlockAcross.check(way)
  }
  @Test(arguments: Promise.heldTooLong.ways) func heldTooLong(_ way: Way) async throws {
    try await Promise.heldTooLong.check(way)
  }
  @Test(arguments: Promise.potentialDeadlock.ways) func potentialDeadlock(_ way: Way) async throws {
    try await Promise.potentialDeadlock.check(way)
  }
}
