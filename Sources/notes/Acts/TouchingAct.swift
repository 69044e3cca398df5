/// A slow write of one note and calls of other notes, while writes touch everything, then less, then as little as they can.
struct TouchingAct: Act {
  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let panels: [(String, Way, code: String)] = [
      ("A slow write of note 1, where a write touches everything", .coalescing, "write { … }"),
      (
        "The same calls, where a write touches its note and the list", .touching,
        "write(touching: [.note(id), .all]) { … }"
      ),
      (
        "The same calls, where a write touches its note only", .apart,
        "write(touching: [.note(id)]) { … }, and for the list write { … }"
      ),
    ]
    for (title, way, code) in panels where !stage.interruption.isAsked {
      show(try await panel(title, "\(way.introduction) In code: \(code)", way, stage))
    }
  }

  private func panel(
    _ title: String, _ introduction: String, _ way: Way, _ stage: Stage
  ) async throws(Refusal) -> Panel {
    let store = try StoreOpening.open("\(stage.scratch)/\(way.rawValue)")
    try stage.fill(store, with: (1...3).map { Note(id: $0, text: "Note \($0)") })
    let played = try await Performance(stage, store, way).play(Self.calls)
    let explanation = played.explanation
    let isRight = played.verdict.isRight
    return Panel(
      title: title, introduction: introduction, timeline: played.timeline, mood: played.mood,
      finding: isRight ? Self.meanwhile(played.run) : explanation.sentence,
      details: [played.summary, played.confirmation] + (isRight ? [explanation.sentence] : explanation.evidence))
  }

  /// What was done while the slow write ran.
  private static func meanwhile(_ run: Run) -> String {
    let slow = run.calls[0]
    let done = run.calls.dropFirst().filter { $0.finished < slow.finished }.map { "\($0.place) (\($0.call.label))" }
    let others =
      done.isEmpty ? "no other call ended" : "\(done.count == 1 ? "call" : "calls") \(Count.list(done)) ended"
    return """
      While \(slow.name) ran, for \(Seconds.text(slow.ran)), \(others); all \(Count.of(run.calls.count, "call")) took \
      \(Seconds.text(run.length)).
      """
  }

  /// After the slow write: two notes that it has nothing to do with, then its own note, then the list.
  static let calls: [TimedCall] = {
    let milliseconds: [(Call, Int)] = [
      (.update(1, text: "A long text"), 800),
      (.read(2), 150), (.update(3, text: "A short text"), 400), (.read(2), 150), (.read(3), 150),
      (.read(1), 150), (.readAll, 200), (.readAll, 200),
    ]
    return milliseconds.map { TimedCall(at: .zero, call: $0, takes: .milliseconds($1)) }
  }()
}
