import SerialTasks
import SerialTasksTesting

/// Two tasks that take two lines in opposite orders: rejected if they meet, reported by a test if they do not.
struct DeadlockAct: Act {
  let name = "deadlock"
  let title = "a deadlock that names itself"
  /// Makes the lines “notes” and “audit” under test.
  var makeLines: @Sendable (Player) -> Lines = { player in
    let names = ["notes", "audit"]
    let lines = Dictionary(
      uniqueKeysWithValues: names.map { ($0, SerialTaskExecutor(name: $0, clock: player, onEvent: player.note)) })
    return Lines(waiting: { lines.values.map(\.snapshot.waiting).reduce(0, +) }) { line, job, body in
      try await lines[line]?.enqueue(name: job, body)
    }
  }

  struct Lines: Sendable {
    /// The number of jobs that wait in both.
    let waiting: @Sendable () -> Int
    let enqueue: @Sendable (_ line: String, _ job: String, _ body: Body) async throws -> Void

    typealias Body = @Sendable () async throws -> Void
  }

  func play(on page: inout Page) async -> Bool {
    let meeting = await play(at: 50, inOrder: ["audit", "notes"])
    let (lucky, found) = await watched(at: 400, inOrder: ["audit", "notes"])
    let (harmless, foundInOneOrder) = await watched(at: 400, inOrder: ["notes", "audit"])
    page.text(
      """
      One task saves a note in “notes” and, inside that turn, logs it in “audit”. Another prints a report in “audit” and, \
      inside that turn, counts the notes in “notes”. If they meet, each waits for the other. A queue without a check hangs \
      here, without a message.
      """)
    let code = "notes.enqueue { audit.enqueue { … } }, and the other way round"
    page.timeline([("They meet", code, meeting)])
    page.timeline([("They do not meet", "the same, some time later", lucky)])
    if let rejection = meeting.rejections.first { page.quote("The error says: \(rejection)") }
    for deadlock in found { page.quote("A test with potentialDeadlocks { … } reports for the second: \(deadlock)") }
    return page.verdict(
      meeting.mistakes(rejected: 4) + lucky.mistakes() + harmless.mistakes()
        + (meeting.rejections.map(\.path) == [Self.cycle] ? [] : ["no error names the cycle"])
        + (found.map(\.path) == [Self.cycle] ? [] : ["the cycle of those that do not meet was not found"])
        + (foundInOneOrder.isEmpty ? [] : ["a cycle was found where both take “notes” first"]),
      """
      The call that would close the cycle is rejected before it waits, and its error names the cycle. The other calls continue. If \
      the two never meet, nothing hangs, but a test still finds the cycle.
      """)
  }

  private static let cycle = ["notes", "audit", "notes"]

}

// MARK: - The two tasks

extension DeadlockAct {
  /// Plays both tasks, and also returns the potential deadlocks.
  private func watched(at second: Int, inOrder order: [String]) async -> (Play, [PotentialDeadlock]) {
    var play = Play(entries: [], reported: [], shown: [], isStuck: true)
    let found = await potentialDeadlocks { play = await self.play(at: second, inOrder: order) }
    return (play, found)
  }

  /// Plays both tasks; the second starts at this moment and takes the lines in this order.
  private func play(at second: Int, inOrder order: [String]) async -> Play {
    let player = Player()
    let lines = makeLines(player)
    let calls = [
      Call(1, "save a note", takes: 150, .write([:])), Call(2, "log that", takes: 100, .write([:])),
      Call(3, "print a report", at: second, takes: 200, .write([:])),
      Call(4, "count notes", takes: 100, .read([])),
    ]
    let way = Way(isQuiet: { $0.haveAllArrived && $0.open - lines.waiting() == $0.atWork.count }) { call, work in
      let inner = calls[call.number]
      let order = call.number == 1 ? ["notes", "audit"] : order
      try await lines.enqueue(order[0], call.name) {
        _ = try await work()
        // A task continues without a rejected call.
        try? await player.nested(inner) {
          try await lines.enqueue(order[1], inner.name) { try await player.work(inner.number, for: inner.takes) }
        }
        try await player.work(call.number, for: 50)
      }
      return Answer(by: call.number)
    }
    return await player.play([calls[0], calls[2]], way)
  }
}

extension Play {
  /// The errors of calls that were rejected as deadlocks.
  fileprivate var rejections: [DeadlockError] {
    entries.compactMap { entry in
      if case .failure(JobRejection.deadlock(let error)) = entry.answer { error } else { nil }
    }
  }
}
