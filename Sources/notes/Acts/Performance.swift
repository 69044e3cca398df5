/// A run on a store, and what was found in the store afterwards.
struct Performance {
  private let stage: Stage
  private let store: NoteStore
  private let way: Way
  private let wrap: Way.Wrapping?
  private let interruption: Interruption?

  /// - Parameters:
  ///   - stage: What is around it.
  ///   - store: Where the notes are.
  ///   - way: The way that calls take.
  ///   - wrap: What takes the place of the way’s own service, and must keep its promise.
  ///   - interruption: What may end it early; a run that is over in a moment needs none.
  init(
    _ stage: Stage, _ store: NoteStore, _ way: Way, wrap: Way.Wrapping? = nil, interruption: Interruption? = nil
  ) {
    self.stage = stage
    self.store = store
    self.way = way
    self.wrap = wrap
    self.interruption = interruption
  }

  /// Plays the calls, then reads the store back from its files.
  func play(_ calls: [TimedCall]) async throws(Refusal) -> Played {
    let initial = try stage.notes(in: store)
    var progress = ProgressLine(total: calls.count, console: stage.console)
    let player = Player(
      repository: NotesRepository(store: store), way: way, wrap: wrap, interruption: interruption ?? Interruption())
    let run = await player.play(calls) { progress.advance(at: $0.finished) }
    progress.clear()
    let found = try stage.notes(in: store)
    return Played(run: run, verdict: Verdict(initial: initial, run: run, found: found), found: found.count)
  }

  struct Played {
    let run: Run
    let verdict: Verdict
    /// How many notes the store holds.
    let found: Int
  }
}

extension Performance.Played {
  var timeline: Timeline { Timeline(run, verdict) }
  var explanation: Explanation { Explanation(run: run, verdict: verdict) }

  /// Where nothing is promised, wrong is no more than a warning, and so is luck.
  var mood: Panel.Mood {
    if run.way.promise == .nothing, !verdict.isRight || run.mostAtOnce > 1 { return .warning }
    return verdict.isRight ? .right : .wrong
  }

  /// The run in one line, with what reading the store back has shown.
  var summary: String {
    let answers = verdict.wrongAnswers.count
    let breaches = Set(verdict.breaches.map(\.place)).count
    return """
      In sum: \(Tally(run).words); \(Seconds.text(run.length)) in all; \
      store \(verdict.differences.isEmpty ? "right" : "WRONG"), \
      \(answers == 0 ? "answers right" : "\(Count.of(answers, "answer")) WRONG")\
      \(breaches == 0 ? "" : ", \(Count.of(breaches, "call")) OUT OF PLACE").
      """
  }

  /// Says of a way that promises nothing that what went wrong was to be expected.
  var excuse: [String] {
    guard run.way.promise == .nothing, !verdict.isRight else { return [] }
    return ["This is expected of \(run.way.title), which promises no order across an await; it is no failure."]
  }

  /// What reading the store back has shown.
  var confirmation: String {
    let calls = Count.of(run.calls.count, "call")
    guard verdict.differences.isEmpty else {
      let ids = verdict.differences.prefix(10).map { String($0.id) }
      let more = verdict.differences.count > 10 ? " and others" : ""
      return """
        Read back, the store is not what the \(calls) must have produced: look at \
        \(ids.count == 1 ? "note" : "notes") \(Count.list(ids))\(more).
        """
    }
    let answers = verdict.wrongAnswers.isEmpty ? ", and every call answered what it must" : ""
    return
      "Read back, the store holds \(Count.of(found, "note")): exactly what the \(calls) in order produce\(answers)."
  }
}
