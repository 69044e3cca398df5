/// The user's own calls.
struct ScriptAct: Act {
  let calls: [TimedCall]
  let store: NoteStore
  let way: Way

  /// As many failed calls as are named one by one.
  private static let mostFailures = 10

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let played = try await Performance(stage, store, way).play(calls)
    let reports = [played.summary, played.confirmation] + played.explanation.evidence + played.excuse
    show(
      Panel(
        title: "\(Count.of(calls.count, "call")) from a script, through \(way.title)",
        introduction: way.introduction, timeline: played.timeline, mood: played.mood,
        finding: played.explanation.sentence, details: reports + failures(played)))
  }

  /// Calls that failed as they must; those that should not have are among the wrong answers.
  private func failures(_ played: Performance.Played) -> [String] {
    let wrong = Set(played.verdict.wrongAnswers.map(\.place))
    let failures = played.run.failures.filter { !wrong.contains($0.call.place) }
    let named = failures.prefix(Self.mostFailures).map { call, error in
      "Line \(call.timed.line ?? call.place), \(call.name), failed, as it must: \(error)."
    }
    let more = failures.count - named.count
    return named + (more > 0 ? ["… and \(Count.of(more, "more failure"))."] : [])
  }
}
