import CoalescingTasks

// Executors can hold still for a while; how every type ends is with reloading.

nonisolated func holdStill(
  _ line: SerialTaskExecutor, _ keyed: KeyedSerialTaskExecutor<String>, _ notes: CoalescingTaskExecutor<Int>
) async throws {
  try await line.pauseAndWait()
  try await keyed.pauseAndWait()
  try await notes.pauseAndWait()
  line.resume()
}

// A handler on the main actor.
@MainActor final class Button {
  var saved = false
  func save(_ line: SerialTaskExecutor) {
    line.submit { 1 }.whenComplete(on: MainActor.self) { result in if case .success = result { self.saved = true } }
    line.submit { 1 }.whenComplete { (result: Result<Int, any Error>) in print(result) }
  }
}

// One vocabulary in snapshots.
nonisolated func look(
  _ line: SerialTaskExecutor, _ keyed: KeyedSerialTaskExecutor<String>, _ notes: CoalescingTaskExecutor<Int>
) -> Int {
  line.snapshot.waiting + line.snapshot.running + keyed.snapshot.running + notes.snapshot.running
    + (line.snapshot.runningJob?.count ?? 0)
}

let jobsAtATime = KeyedSerialTaskExecutor<String>(maximumConcurrentJobs: 4)

// The log-out, in one call; with a limit it is the end of a service. Right in a cancelled task too.
func logOut(
  _ token: RenewingValue<String>, _ notes: CoalescingTaskExecutor<Int>, _ feed: Reloader<Reason, Int>,
  _ line: SerialTaskExecutor
) async -> Bool {
  let parts: [any Drainable] = [token, notes, feed, line]
  await parts.shutDown(within: .zero)
  return await parts.shutDown(within: .seconds(5))
}
