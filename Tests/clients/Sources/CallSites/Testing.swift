import SerialTasks
import SerialTasksTesting

func clocks() async throws {
  let clock = ManualClock()
  try await clock.waitForSleepers()
  clock.advanceToNextSleeper()
  clock.jump(by: .seconds(-5))
  print(clock.alarms, clock.now < ManualClock.Instant(offset: .seconds(1)))
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
    await gate.waitForArrivals()
    gate.open()
    try await load.value
    try await line.waitUntil(waiting: 0)
  }
}

@MainActor func oppositeOnTheMainActor(_ screen: ScreenTest) async throws {
  let found = try await potentialDeadlocks {
    screen.shown += 1
    try await screen.loads()
  }
  print(found)
}
