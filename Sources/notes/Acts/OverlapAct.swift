/// The seven calls, with and without an order.
struct OverlapAct: Act {
  let store: NoteStore

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let classic = ClassicCalls(takenIDs: Set(try stage.notes(in: store).map(\.id)))
    try stage.fill(store, with: classic.notes)
    let copy = try stage.copy(of: store, named: "plain-actor")

    let plain = try await Performance(stage, copy, .actor).play(classic.calls)
    show(
      Panel(
        title: "Seven calls at the same moment, straight to \(plain.run.way.title)",
        introduction: plain.run.way.introduction,
        timeline: plain.timeline, mood: plain.mood, finding: plain.explanation.sentence,
        details: plain.explanation.evidence + plain.excuse))

    if stage.interruption.isAsked { return }
    let serial = try await Performance(stage, store, .serial).play(classic.calls)
    show(
      Panel(
        title: "The same calls on the same repository, through \(serial.run.way.title)",
        introduction: serial.run.way.introduction,
        timeline: serial.timeline, mood: serial.mood, finding: serial.explanation.sentence,
        details: [serial.confirmation] + serial.explanation.evidence))
  }
}
