/// The seven calls, with and without an order.
struct OverlapAct: Act {
  let store: NoteStore

  func play(on stage: Stage, show: (Panel) -> Void) async throws(Refusal) {
    let classic = ClassicCalls(takenIDs: Set(try stage.notes(in: store).map(\.id)))
    try stage.fill(store, with: classic.notes)
    let copy = try stage.copy(of: store, named: "plain-actor")

    let plain = try await Performance(stage, copy, PlainRoute()).play(classic.calls)
    show(
      Panel(
        title: "Seven calls at the same moment, straight to \(plain.run.route)",
        introduction: "Each method awaits in the middle, and at every await the actor lets the others in.",
        timeline: plain.timeline, mood: .warning, finding: plain.explanation.sentence,
        details: plain.explanation.evidence + ["The copy of the store it had: \(copy.folder.path)"]))

    let serial = try await Performance(stage, store, SerialRoute()).play(classic.calls)
    show(
      Panel(
        title: "The same calls on the same repository, through \(serial.run.route)",
        introduction: "A job has its turn until it returns, whatever it awaits; the others wait in the order asked.",
        timeline: serial.timeline, mood: serial.mood, finding: serial.explanation.sentence,
        details: [serial.confirmation] + serial.explanation.evidence))
  }
}
