import Testing

@testable import notes

@Suite(.watched) struct VerdictTests {
  private let note = Note(id: 1, text: "a")

  //   update   |--------------|
  //   delete     |------|
  //   readAll    |---|
  private var overtaken: Run {
    Run(
      way: .actor,
      calls: [
        Played.call(1, .update(1, text: "b"), started: 0, finished: 400),
        Played.call(2, .delete(1), started: 10, finished: 200),
        Played.call(3, .readAll, started: 10, finished: 100, .success(.notes([note]))),
      ])
  }

  // Fails if: a way for a store to differ is not looked for.
  @Test func everyWayToDifferIsFound() {
    let initial = (1...4).map { Note(id: $0, text: "a") }
    let run = Run(way: .actor, calls: [Played.call(1, .update(2, text: "b"), started: 0, finished: 1)])
    let found = [initial[0], initial[1], initial[3], Note(id: 9, text: "z")]
    let verdict = Verdict(initial: initial, run: run, found: found)
    #expect(
      verdict.differences == [
        .different(found: initial[1], expected: Note(id: 2, text: "b", edits: 1)), .missing(initial[2]),
        .extra(Note(id: 9, text: "z")),
      ])
    #expect(!verdict.isRight)
  }

  @Test func aFailureThatMustBeIsRight() {
    let run = Run(way: .actor, calls: [Played.call(1, .delete(5), started: 0, finished: 1, .failure(.missing(5)))])
    #expect(Verdict(initial: [note], run: run, found: [note]).isRight)
    let silent = Run(way: .actor, calls: [Played.call(1, .delete(5), started: 0, finished: 1)])
    #expect(Verdict(initial: [note], run: silent, found: [note]).wrongAnswers.map(\.place) == [1])
  }

  @Test func whatWentWrongIsToldFromWhatHappened() {
    let verdict = Verdict(initial: [note], run: overtaken, found: [Note(id: 1, text: "b", edits: 1)])
    let explanation = Explanation(run: overtaken, verdict: verdict)
    #expect(
      explanation.sentence == """
        What went wrong: up to 3 calls were under way at once and ended in the order 3 2 1; call 1 (update 1) wrote last, \
        over what call 2 (delete 1), asked after it, had done, and note 1, which was deleted, is in the store again; \
        call 3 did not answer what it must.
        """)
    #expect(explanation.evidence == ["Call 3 (read all) answered only note 1; in the order asked it is no notes."])
  }

  @Test func luckIsCalledLuck() {
    let run = Run(
      way: .actor,
      calls: [
        Played.call(1, .read(1), started: 0, finished: 20, .success(.note(note))),
        Played.call(2, .read(1), started: 10, finished: 30, .success(.note(note))),
      ])
    let sentence = Explanation(run: run, verdict: Verdict(initial: [note], run: run, found: [note])).sentence
    #expect(sentence.hasPrefix("Nothing went wrong this time, by luck and not by promise: up to 2 calls"))
  }

  // Fails if: what the plain actor does decides, or what must be right does not.
  @Test func onlyWhatMustBeRightDecidesTheStatus() {
    func panel(_ mood: Panel.Mood) -> Panel {
      Panel(title: "", introduction: "", timeline: nil, mood: mood, finding: "", details: [])
    }
    #expect(Panel.status(of: [panel(.warning), panel(.right)]) == .right)
    #expect(Panel.status(of: [panel(.warning), panel(.wrong), panel(.right)]) == .wrong)
  }

  @Test func oneAfterTheOtherIsToldAsSuch() {
    let run = Played.reads(3)
    #expect(run.mostAtOnce == 1)
    let sentence = Explanation(run: run, verdict: Verdict(initial: [], run: run, found: [])).sentence
    #expect(sentence.hasPrefix("Right: each call began only when"))
  }

  @Test func callsThatTookNoTimeAreNotAtOnce() {
    let run = Run(
      way: .actor,
      calls: [
        Played.call(1, .readAll, started: 5, finished: 5), Played.call(2, .readAll, started: 5, finished: 5),
        Played.call(3, .readAll, started: 5, finished: 9),
      ])
    #expect(run.mostAtOnce == 1)
  }
}
