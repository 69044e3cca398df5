// What tests of the library's users write; every line must compile, without a warning, in each CLIENT_MODE.
import CoalescingTasks
import SerialTasksFenced
import SerialTasksFencedTesting
import SerialTasksTesting

private enum Why: ReloadReason {
  case appear
  var policy: ReloadPolicy { .join }
}

func gates() async throws {
  let gate = Gate()
  let executor = SerialTaskExecutor(name: "notes")
  let held = executor.submit { await gate.pass() }
  let listening = executor.submit { try await gate.passUnlessCancelled() }
  await gate.arrived()
  await gate.arrived(2)
  print(gate.arrivals, gate.isOpen)
  gate.open()
  try await held.value
  try await listening.value
}

func clocks() async throws {
  let clock = ManualClock()
  let pages = TaskCoalescer<Int, String>(name: "pages", joinWindow: .seconds(30), clock: clock)
  let sleep = Task { try await clock.sleep(for: .seconds(10)) }
  try await clock.sleepers()
  try await clock.sleepers(1)
  clock.advance(by: .seconds(5))
  let woke: Bool = clock.advanceToNextSleeper()
  clock.advanceToNextSleeper()
  clock.jump(by: .seconds(-5))
  try await sleep.value
  let now: ManualClock.Instant = clock.now
  print(pages.snapshot, woke, now.offset, clock.alarms, now < ManualClock.Instant(offset: .seconds(1)))
}

func logs() async throws {
  let log = EventLog()
  let executor = SerialTaskExecutor(name: "notes", onEvent: log.handler)
  let bank = KeyedSerialTaskExecutor<String>(name: "bank") { event in log(event) }
  executor.submit(name: "save") {}
  bank.submit(for: "ann") {}
  let first = try await log.first(2)
  try await log.first { event in event.job == "save" }
  let failed = try await log.first { if case .failed = $0.kind { true } else { false } }
  print(first.map(\.job), failed, log.entries.count, log)
}

func waits(_ token: RenewingValue<String>, _ fleet: FencedSerialTaskExecutor<String>) async throws {
  let executor = SerialTaskExecutor()
  try await executor.waits(for: 2)
  let bank = KeyedSerialTaskExecutor<String>()
  try await bank.waits(for: 2)
  try await bank.waits(for: 2, of: "ann")
  let notes = CoalescingTaskExecutor<Int>()
  try await notes.waits(for: 1)
  let profiles = TaskCoalescer<Int, String>()
  try await profiles.waits(for: 3)
  try await profiles.waits(for: 3, of: 7)
  let screen = Reloader<Why, Int> { _ in
    1
  } apply: { _ in
  }
  try await screen.waits(for: 1)
  try await token.waits(for: 1)
  try await fleet.waits(for: 1)
  try await fleet.waits(for: 1, of: "ann")
}

func patience(_ executor: SerialTaskExecutor, _ gate: Gate) async throws -> Int {
  do {
    try await withPatience(.seconds(60)) { try await executor.waits(for: 2) }
  } catch let error as WaitTimedOut { print(error) }
  await withPatience(nil) { await gate.arrived() }
  return await withPatience(.zero) { executor.snapshot.waiting }
}

@MainActor func patienceOnTheMainActor(_ screen: ScreenTest) async throws {
  try await withPatience(.seconds(1)) {
    screen.shown += 1
    try await screen.loads()
  }
}

@MainActor final class ScreenTest {
  let gate = Gate()
  let line = SerialTaskExecutor()
  var shown = 0

  func loads() async throws {
    let load = Task {
      try await line.enqueue {
        await gate.pass()
        shown += 1
      }
    }
    await gate.arrived()
    gate.open()
    try await load.value
    try await line.waits(for: 0)
  }
}

// Deadlocks that could have happened, in a test.
func opposite(_ a: SerialTaskExecutor, _ b: SerialTaskExecutor) async throws -> Bool {
  let found: [PotentialDeadlock] = try await potentialDeadlocks {
    try await a.enqueue { try await b.enqueue {} }
    try await b.enqueue { try await a.enqueue {} }
  }
  for deadlock in found { print(deadlock, deadlock.path, deadlock.requests.map(\.held)) }
  let silent = await potentialDeadlocks(recordingAtMost: 1_000) { try? await a.enqueue {} }
  return found.isEmpty && silent.isEmpty
}

@MainActor func oppositeOnTheMainActor(_ screen: ScreenTest) async throws {
  let found = try await potentialDeadlocks {
    screen.shown += 1
    try await screen.loads()
  }
  print(found)
}
