/// Says in words what a run came to.
///
/// Every part of it is read off the run and its verdict.
struct Explanation {
  let run: Run
  let verdict: Verdict

  /// More places than this are not read, only seen.
  private static let mostPlaces = 12

  /// One sentence: what went wrong and how, or why nothing did.
  var sentence: String {
    guard verdict.isRight else { return "What went wrong: \(manner); \(damages.joined(separator: "; "))." }
    if run.mostAtOnce > 1, run.way.promise == .nothing {
      return "Nothing went wrong this time, by luck and not by promise: \(manner), and no answer shows it."
    }
    let reason = isInBatches ? togetherness : manner
    return "Right: \(reason), so the store and all answers are those of the calls in their order."
  }

  /// Whether there is more to say than that one call ran after the other.
  private var isInBatches: Bool {
    switch run.way.promise {
    case .nothing, .oneAtATime: false
    case .readsTogether: run.mostAtOnce > 1 || run.calls.contains { $0.joined != nil }
    // Also one at a time, they may overtake each other.
    case .byNoteAndList, .byNote: true
    }
  }

  /// How calls ran at the same time.
  private var togetherness: String {
    let joined = Tally(run).saved
    let isByKey = run.way.promise != .readsTogether
    let which = isByKey ? "calls that need not wait for each other" : "reads with no write between them"
    let together = run.mostAtOnce > 1 ? "; \(which) ran up to \(run.mostAtOnce) at once" : ""
    let joins = joined == 0 ? "" : ", and \(Count.of(joined, "read")) joined an equal one"
    return "each write ran \(isByKey ? "alone on what it touches" : "alone") and in its place\(together)\(joins)"
  }

  /// How the calls ran.
  private var manner: String {
    guard run.mostAtOnce > 1 else {
      return "each call began only when the one asked before it had ended, whatever it awaited"
    }
    let overlap = "up to \(run.mostAtOnce) calls were under way at once"
    if run.finishedInOrder { return overlap }
    guard run.calls.count <= Self.mostPlaces else { return "\(overlap) and ended in another order than asked" }
    return "\(overlap) and ended in the order \(run.finishingOrder.map(String.init).joined(separator: " "))"
  }
}

// MARK: - What was damaged

extension Explanation {
  private var damages: [String] {
    let stores = verdict.differences.prefix(2).map(damage)
    let more = verdict.differences.count - stores.count
    let rest = "\(Count.of(more, "more note")) of the store \(more == 1 ? "is not as it" : "are not as they") must be"
    return stores + (more > 0 ? [rest] : []) + answers + breaches
  }

  private func damage(_ difference: StoreDifference) -> String {
    switch difference {
    case .extra(let note): "\(culprit(note.id))note \(note.id)\(again(note.id))"
    case .missing(let note): "\(culprit(note.id))note \(note.id) is not in the store, where it should be"
    case .different(let found, let expected):
      "\(culprit(found.id))note \(found.id) holds \(contents(found)) and should hold \(contents(expected))"
    }
  }

  private func again(_ id: Int) -> String {
    let wasDeleted = run.calls.contains { $0.call == .delete(id) && $0.outcome == .success(.done) }
    return wasDeleted ? ", which was deleted, is in the store again" : " is in the store, where it should not be"
  }

  private func contents(_ note: Note) -> String {
    "“\(Printable.text(note.text, upTo: 24))” with \(Count.of(note.edits, "edit"))"
  }

  /// Who overtook whom, if the damage to the note comes from that.
  private func culprit(_ id: Int) -> String {
    let writers = run.calls.filter { $0.call.written == id && (try? $0.outcome.get()) != nil }
    guard let lastAsked = writers.last, let lastEnded = writers.max(by: { $0.finished < $1.finished }),
      lastEnded.place != lastAsked.place
    else { return "" }
    return "\(lastEnded.name) wrote last, over what \(lastAsked.name), asked after it, had done, and "
  }

  private var breaches: [String] {
    let named = verdict.breaches.prefix(2).map { $0.words(in: run) }
    let more = verdict.breaches.count - named.count
    return named + (more > 0 ? ["and \(more) more of the kind"] : [])
  }

  private var answers: [String] {
    let wrong = verdict.wrongAnswers
    guard let first = wrong.first else { return [] }
    if wrong.count == 1 { return ["call \(first.place) did not answer what it must"] }
    guard wrong.count <= Self.mostPlaces else { return ["\(wrong.count) calls did not answer what they must"] }
    return ["calls \(Count.list(wrong.map { String($0.place) })) did not answer what they must"]
  }
}

// MARK: - Evidence

extension Explanation {
  /// As many wrong answers as are shown one by one.
  private static let mostAnswers = 5

  /// What wrong answers were, and what they should have been; a line each.
  var evidence: [String] {
    verdict.wrongAnswers.prefix(Self.mostAnswers).map { wrong in
      let got = if case .failure = wrong.got { wrong.got.words } else { "answered \(wrong.got.words)" }
      return "\(run.calls[wrong.place - 1].name) \(got); in the order asked it is \(wrong.expected.words)."
        .capitalizedFirst
    }
  }
}
