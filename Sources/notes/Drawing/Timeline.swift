/// A run as it is drawn: what the terminal and the page have in common.
struct Timeline {
  struct Row {
    /// What stands above it, where rows are told apart in groups.
    var heading: String?
    /// Its place, for those that have one.
    let number: String
    let label: String
    /// What it waits for at first; `nil` if it does not.
    let waiting: Ink?
    /// What it does then; `nil` for those who only waited.
    let running: Ink?
    let standing: Standing
    /// In seconds from the beginning; who only waits starts when it has finished.
    let asked, started, finished: Double
    /// Everything known of the call, shown on demand.
    let details: String
  }

  /// How a call came out.
  enum Standing: Equatable {
    case fine
    /// As it must be, with a word on it.
    case noted(String)
    /// It failed, as it had to.
    case failed
    /// It answered something else than it must have.
    case wrong
  }

  /// By place.
  let rows: [Row]
  /// What a row is, as the head of a table says it.
  var subject = "Call"
}

extension Timeline {
  init(_ run: Run, _ verdict: Verdict) {
    let wrong = Dictionary(uniqueKeysWithValues: verdict.wrongAnswers.map { ($0.place, $0) })
    let breaches = Set(verdict.breaches.map(\.place))
    rows = run.calls.map { Row($0, wrong[$0.place], isBreach: breaches.contains($0.place)) }
  }

  /// What can be seen in it, for the legend.
  var inks: [Ink] {
    let seen = Set(rows.flatMap { [$0.waiting, $0.running].compactMap { $0 } })
    return Ink.allCases.filter(seen.contains)
  }

  /// From the beginning to the end of the last call.
  var window: Window { Window(start: 0, end: rows.map(\.finished).max() ?? 0) }
}

extension Timeline.Row {
  fileprivate init(_ call: PlayedCall, _ wrong: WrongAnswer?, isBreach: Bool) {
    number = String(call.place)
    label = call.call.label
    waiting = call.joined == nil ? .turn : .joined
    running = call.joined == nil ? (call.call.isRead ? .read : .write) : nil
    asked = Seconds.of(call.asked)
    started = Seconds.of(call.started)
    finished = Seconds.of(call.finished)
    if wrong != nil || isBreach {
      standing = .wrong
    } else if case .failure = call.outcome {
      standing = .failed
    } else if let joined = call.joined {
      standing = .noted("joined \(joined)")
    } else {
      standing = .fine
    }
    details = Self.details(call, wrong)
  }

  var waited: Double { started - asked }
  var ran: Double { finished - started }

  private static func details(_ call: PlayedCall, _ wrong: WrongAnswer?) -> String {
    var parts = ["\(call.place). \(call.call.label)"]
    if let line = call.timed.line { parts[0] += ", line \(line)" }
    if let text = call.call.text { parts.append("text “\(Printable.text(text, upTo: 80))”") }
    parts.append("asked at \(Seconds.text(call.asked)), began at \(Seconds.text(call.started))")
    if let joined = call.joined { parts.append("joined call \(joined)") }
    parts.append("waited \(Seconds.text(call.waited)), ran \(Seconds.text(call.ran))")
    parts.append(call.outcome.words)
    if let wrong { parts.append("in order it would be: \(wrong.expected.words)") }
    return parts.joined(separator: " · ")
  }
}

/// The stretch of time that a chart shows.
struct Window: Equatable {
  let start: Double
  let end: Double

  var length: Double { end - start }

  /// Where a moment is, from 0 at the left to 1 at the right.
  func position(_ moment: Double) -> Double {
    length > 0 ? min(max((moment - start) / length, 0), 1) : 0
  }
}
