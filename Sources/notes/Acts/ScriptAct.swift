/// The user's own calls.
struct ScriptAct: Act {
  let calls: [TimedCall]
  let store: NoteStore
  let way: Way
  /// What takes the place of the way’s own service, and must keep its promise.
  var wrap: Way.Wrapping?

  /// As many failed calls as are named one by one.
  private static let mostFailures = 10

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    // A way that promises nothing plays on a copy, because the notes may be wanted afterwards.
    let copy: NoteStore? = if way.promise == .nothing { try stage.copy(of: store, named: "plain-actor") } else { nil }
    let played = try await Performance(stage, copy ?? store, way, wrap: wrap, interruption: stage.interruption)
      .play(calls)
    let count = played.run.calls.count
    let unplayed = calls.count - count
    let share = unplayed > 0 ? "\(count) of " : ""
    let interrupted =
      unplayed > 0 ? ["Interrupted: \(Count.of(unplayed, "call")) had not begun, and never will."] : []
    let reports =
      interrupted + [played.summary, played.confirmation] + played.explanation.evidence + played.excuse
      + (copy == nil ? [] : ["It had a copy of the store, which itself is as it was."])
    show(
      Panel(
        title: "\(share)\(Count.of(calls.count, "call")) from a script, through \(way.title)",
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
