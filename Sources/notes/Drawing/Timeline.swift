/// A run as it is drawn: what the terminal and the page have in common.
struct Timeline {
  struct Row {
    let place: Int
    let label: String
    let isRead: Bool
    let standing: Standing
    /// In seconds from the beginning.
    let asked, started, finished: Double
    /// Everything known of the call, for whoever asks.
    let details: String
  }

  /// How a call came out.
  enum Standing {
    case fine
    /// It failed, as it had to.
    case failed
    /// It answered something else than it must have.
    case wrong
  }

  /// By place.
  let rows: [Row]
}

extension Timeline {
  init(_ run: Run, _ verdict: Verdict) {
    let wrong = Dictionary(uniqueKeysWithValues: verdict.wrongAnswers.map { ($0.place, $0) })
    rows = run.calls.map { Row($0, wrong[$0.place]) }
  }

  /// From the beginning to the end of the last call.
  var window: Window { Window(start: 0, end: rows.map(\.finished).max() ?? 0) }
}

extension Timeline.Row {
  fileprivate init(_ call: PlayedCall, _ wrong: WrongAnswer?) {
    place = call.place
    label = call.call.label
    isRead = call.call.isRead
    asked = Seconds.of(call.asked)
    started = Seconds.of(call.started)
    finished = Seconds.of(call.finished)
    if wrong != nil {
      standing = .wrong
    } else if case .failure = call.outcome {
      standing = .failed
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
