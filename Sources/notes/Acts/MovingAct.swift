import SerialTasks
import SerialTasksTesting

/// Jobs that need two notes at once, in opposite orders, beside jobs that need one.
struct MovingAct: Act {
  /// Whether a job over two notes takes its places on both at once; without, it takes one note only, and must be found out.
  var takesBoth = true

  /// What each job touches.
  private static let jobs: [(label: String, notes: [Int])] = [
    ("edit 1", [1]), ("edit 2", [2]), ("move 1 to 2", [1, 2]), ("move 2 to 1", [2, 1]), ("edit 3", [3]),
    ("edit 2", [2]),
  ]

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let entries = await play()
    let wrong = Self.overlaps(entries)
    let finding =
      wrong.isEmpty
      ? """
      Each began when all before it that touch its notes had ended\(Self.didNotWait(entries)). That one moves there and \
      the other back is no deadlock: a job takes its places on all of its notes in one step.
      """
      : "What went wrong: \(wrong.joined(separator: "; "))."
    show(
      Panel(
        title: "Lines moved between two notes, there and back, beside edits",
        introduction: """
          Jobs of one note wait for each other, those of different notes do not; a job over two notes waits for both. In \
          code: enqueue(forAll: [1, 2]) { … } of KeyedSerialTaskExecutor
          """,
        timeline: Timeline(entries), mood: wrong.isEmpty ? .right : .wrong, finding: finding, details: []))
  }

  private func play() async -> [WriteLog.Entry] {
    let notes = KeyedSerialTaskExecutor<Int>(name: "notes")
    let (log, allAsked) = (WriteLog(), Gate())
    for job in Self.jobs {
      let number = log.ask(job.label)
      notes.submit(forAll: takesBoth ? job.notes : Array(job.notes.prefix(1))) {
        await log.run(number, taking: .milliseconds(150), notBefore: allAsked)
      }
    }
    allAsked.open()
    try? await notes.drain()
    return log.entries
  }

  /// Said only if it can be seen: a busy machine may be late.
  private static func didNotWait(_ entries: [WriteLog.Entry]) -> String {
    guard let began = entries[4].began, let ended = entries[0].ended, began < ended else { return "" }
    return "; edit 3 touches no note of the others, and did not wait"
  }

  /// Jobs with a common note of which the later began too early, or never.
  private static func overlaps(_ entries: [WriteLog.Entry]) -> [String] {
    jobs.indices.flatMap { later in
      jobs.indices.prefix(later).compactMap { earlier in
        guard !Set(jobs[earlier].notes).isDisjoint(with: jobs[later].notes) else { return nil }
        if let ended = entries[earlier].ended, let began = entries[later].began, began >= ended { return nil }
        return "\(jobs[later].label) began before \(jobs[earlier].label) had ended"
      }
    }
  }
}
