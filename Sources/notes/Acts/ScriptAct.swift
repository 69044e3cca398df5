/// The user's own calls.
struct ScriptAct: Act {
  let calls: [TimedCall]
  let store: NoteStore

  /// As many failed calls as are named one by one.
  private static let mostFailures = 10

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let played = try await Performance(stage, store, SerialRoute()).play(calls)
    show(
      Panel(
        title: "\(Count.of(calls.count, "call")) from a script, through \(played.run.route)",
        introduction: summary(played.run), timeline: played.timeline, mood: played.mood,
        finding: played.explanation.sentence,
        details: [played.confirmation] + played.explanation.evidence + failures(played.run)))
  }

  private func summary(_ run: Run) -> String {
    let reads = run.calls.filter(\.call.isRead).count
    let parts = [
      Count.of(reads, "read"), Count.of(run.calls.count - reads, "write"), "\(run.failures.count) failed",
      "\(Seconds.text(run.length)) in all", "longest wait \(Seconds.text(run.calls.map(\.waited).max() ?? .zero))",
    ]
    return parts.joined(separator: ", ") + "."
  }

  private func failures(_ run: Run) -> [String] {
    let failures = run.failures
    let named = failures.prefix(Self.mostFailures).map { call, error in
      "Line \(call.timed.line ?? call.place), \(call.name), failed: \(error)."
    }
    let more = failures.count - named.count
    return named + (more > 0 ? ["… and \(Count.of(more, "more failure"))."] : [])
  }
}
