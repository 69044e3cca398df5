import SerialTasks
import SerialTasksTesting

/// Two tasks that take two executors in opposite orders, and do not meet: a deadlock that could have happened.
struct OrdersAct: Act {
  /// Whether the second task takes the executors the other way round; without, there is no cycle, and the act must be found out.
  var isOpposite = true

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    var (problems, details): ([String], [String]) = ([], [])
    var found: [PotentialDeadlock] = []
    switch await Self.meeting() {
    case .rejected(let deadlock):
      details.append("If the two meet, the call that closes the cycle is rejected: \(deadlock.path.path).")
    case let end: problems.append("the two met. \(end.problem ?? "")")
    }
    do {
      found = try await Self.lucky(isOpposite: isOpposite)
      if found.map(\.path) != [["notes", "audit", "notes"]] { problems.append("the cycle was not found: \(found)") }
      let inOneOrder = try await Self.lucky(isOpposite: false)
      if !inOneOrder.isEmpty { problems.append("a cycle was found in one order: \(inOneOrder)") }
    } catch { problems.append("the two that do not meet failed: \(error)") }
    if problems.isEmpty { details.append("If both take “notes” first, no cycle is found.") }
    details += found.map { "The report says: \($0)" }
    show(
      Panel(
        title: "A deadlock that could have happened",
        introduction: """
          One task saves a note and logs it; when it has ended, another prints a report from the log and counts the notes. \
          They never meet, so a test of both passes. In code: potentialDeadlocks { … } of SerialTasksTesting
          """,
        ring: found.first.map { Ring($0.path, holders: $0.requests.map { $0.holder ?? "a job" }) },
        mood: problems.isEmpty ? .right : .wrong,
        finding: problems.isEmpty
          ? """
          Both ended and nothing hung, and potentialDeadlocks names the cycle all the same: \(found[0].path.path). With \
          another timing, each holds what the other asks for.
          """
          : "What went wrong: \(problems.joined(separator: "; ")).",
        details: details))
  }
}

// MARK: - The two tasks

extension OrdersAct {
  /// The second begins when the first has ended.
  private static func lucky(isOpposite: Bool) async throws -> [PotentialDeadlock] {
    let tasks = Tasks()
    return try await potentialDeadlocks {
      let saved = Gate()
      async let report: Void = {
        await saved.pass()
        if isOpposite { try await tasks.report {} } else { try await tasks.reportInOneOrder() }
      }()
      do {
        defer { saved.open() }
        try await tasks.save {}
      }
      try await report
    }
  }

  /// Each has its first turn before it asks for its second, and the one that saves asks last.
  private static func meeting() async -> CycleEnd {
    let tasks = Tasks()
    let (saving, reporting) = (Gate(), Gate())
    async let report: Void = tasks.report {
      reporting.open()
      await saving.pass()
    }
    let end = await CycleEnd {
      try await tasks.save {
        saving.open()
        await reporting.pass()
        try await tasks.notes.waits(for: 1)
      }
    }
    do { try await report } catch { return .failed("\(error)") }
    return end
  }

  /// What both tasks do, with something that happens between the two turns of each.
  private struct Tasks {
    let notes = SerialTaskExecutor(name: "notes")
    let audit = SerialTaskExecutor(name: "audit")

    func save(_ between: nonisolated(nonsending) () async throws -> Void) async throws {
      try await notes.enqueue(name: "save a note") {
        try await between()
        try await audit.enqueue(name: "log it") {}
      }
    }

    func report(_ between: nonisolated(nonsending) () async throws -> Void) async throws {
      try await audit.enqueue(name: "print the report") {
        try await between()
        try await notes.enqueue(name: "count the notes") {}
      }
    }

    func reportInOneOrder() async throws {
      try await notes.enqueue(name: "count the notes") { try await audit.enqueue(name: "print the report") {} }
    }
  }
}
