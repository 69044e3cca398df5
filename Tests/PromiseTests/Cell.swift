import SerialTasks
import SerialTasksTesting
import TestWatch
import Testing

/// A promise of a way, with an executor of its own.
struct Cell: Sendable {
  let way: Way
  let settings: Settings
  let stage: Stage
  /// What ran, in order.
  let log = Log<String>()

  init(way: Way, settings: Settings) {
    self.way = way
    self.settings = settings
    stage = way.make(settings)
  }

  var desk: any Desk { stage.desk }

  /// Whether it waits behind a job that holds all turns; otherwise it runs at once.
  var isInLine: Bool { way.has(.isInLine) }

  /// Work that notes that it ran.
  func work(_ entry: String = "work", returning value: Int = 1) -> Work {
    Work { [log] () throws(WorkError) in
      log(entry)
      return value
    }
  }

  /// Work that runs until the gate opens, and then notes whether it was cancelled.
  func held(_ gate: Gate, returning value: Int = 1) -> Work {
    Work { [log] () throws(WorkError) in
      await gate.pass()
      log(Task.isCancelled ? "cancelled" : "not cancelled")
      return value
    }
  }

  /// Nothing waits, and nothing runs.
  func expectIdle() async throws {
    try await until { desk.counts == Counts() }
  }

  /// How the work ended is the outcome.
  func expect(_ pending: Pending, _ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation) async {
    let found = await pending.outcome()
    #expect(found == outcome, sourceLocation: sourceLocation)
  }

  /// So much has run, in this order.
  func expectRan(_ entries: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(log.entries == entries, sourceLocation: sourceLocation)
  }

  /// An exclusive job that notes that it ran.
  func exclusive(_ entry: String, priority: TaskPriority? = nil) -> Task<Void, any Error> {
    stage.exclusive(priority: priority) { [log] in log(entry) }
  }
}
