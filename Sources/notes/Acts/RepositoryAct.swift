/// Equal reads around a write, to a repository that was wrapped once.
struct RepositoryAct: Act {
  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let store = try StoreOpening.open("\(stage.scratch)/wrapped")
    try stage.fill(store, with: Self.notes)
    let played = try await Performance(stage, store, .coalescing).play(Self.calls)
    show(
      Panel(
        title: "Equal reads around a write, through \(played.run.way.title)",
        introduction: played.run.way.introduction, timeline: played.timeline, mood: played.mood,
        finding: played.explanation.sentence,
        details: [played.summary, played.confirmation] + played.explanation.evidence))
  }

  private static let notes = [
    Note(id: 1, text: "Buy milk"), Note(id: 2, text: "Call Ann"), Note(id: 3, text: "Water the plants"),
  ]

  /// The same two reads before and after the write, so that it shows which of them may be one.
  static let calls: [TimedCall] = {
    let milliseconds: [(Call, Int)] = [
      (.readAll, 300), (.readAll, 300), (.read(1), 200), (.readAll, 300), (.read(1), 200),
      (.update(1, text: "Buy oat milk"), 250),
      (.read(1), 200), (.readAll, 300), (.read(1), 200), (.readAll, 300),
    ]
    return milliseconds.map { TimedCall(at: .zero, call: $0, takes: .milliseconds($1)) }
  }()
}
