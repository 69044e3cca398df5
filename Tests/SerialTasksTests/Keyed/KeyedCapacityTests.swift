import SerialTasks
import Testing

/// How many jobs may wait over all keys.
@Suite(.watched) struct KeyedCapacityTests {
  /// Fails if: a job over several keys counts on each of them, or only one that touches a key counts; or a job is rejected that need
  /// not wait.
  @Test func jobsAreCountedOnceWhateverTheyTouch() async throws {
    let bank = KeyedSerialTaskExecutor<String>(capacity: 2)
    let held = await Held(bank, "ann")
    let transfer = waiting(bank, forAll: ["ann", "bob", "cid"]) {}
    let deposit = waiting(bank, "bob") {}
    #expect(bank.snapshot.waiting == 2)
    for keys in [["ann"], ["cid", "dan"]] {
      await #expect(throws: JobRejection.full(capacity: 2)) { try await bank.enqueue(forAll: keys) {} }
    }
    try await bank.enqueue(for: "dan") {}
    try await bank.enqueue(forAll: []) {}
    bank.pause()
    await #expect(throws: JobRejection.full(capacity: 2)) { try await bank.enqueue(forAll: []) {} }
    bank.resume()
    try await held.release()
    for job in [transfer, deposit] { try await job.value }
    #expect(bank.size.busy == 0)
  }

  /// Fails if: one of the two replaces the other, or the error has the other one of them.
  @Test func bothCapacitiesHold() async throws {
    let accounts = KeyedSerialTaskExecutor<String>(capacity: 3, capacityPerKey: 2)
    accounts.pause()
    var jobs = ["ann", "ann"].map { accounts.submit(for: $0) {} }
    for keys in [["ann"], ["bob", "ann"]] {
      await #expect(throws: JobRejection.keyFull(capacity: 2)) { try await accounts.enqueue(forAll: keys) {} }
    }
    jobs.append(accounts.submit(for: "bob") {})
    for key in ["ann", "cid"] {
      await #expect(throws: JobRejection.full(capacity: 3)) { try await accounts.enqueue(for: key) {} }
    }
    accounts.resume()
    for job in jobs { try await job.value }
  }
}
