/// What became of one call of a run.
///
/// Times are measured from the beginning of the run.
struct PlayedCall: Sendable {
  /// Its number in the order in which the calls were asked for, from 1.
  let place: Int
  let timed: TimedCall
  let asked: Duration
  let started: Duration
  let finished: Duration
  let outcome: Outcome
  /// How often the repository was asked on its behalf: once, or never if it shared another’s read or was rejected.
  var operations = 1
  /// The place of the call whose read it shared.
  var joined: Int?
  /// Whether it was made to wait for its turn.
  var hadToWait = false

  var call: Call { timed.call }
  var waited: Duration { started - asked }
  var ran: Duration { finished - started }

  /// The call as sentences name it.
  var name: String { call.name(place: place) }
}

extension PlayedCall {
  /// Those that began, or were answered by one that did, with places of their own.
  ///
  /// What was withdrawn has changed nothing, so the others are a run without it.
  static func begun(_ calls: [PlayedCall]) -> [PlayedCall] {
    let begun = calls.filter { call in
      if case .failure(.unavailable) = call.outcome { false } else { true }
    }
    let places = Dictionary(uniqueKeysWithValues: begun.enumerated().map { ($1.place, $0 + 1) })
    return begun.map { call in
      PlayedCall(
        place: places[call.place]!, timed: call.timed, asked: call.asked, started: call.started,
        finished: call.finished, outcome: call.outcome, operations: call.operations,
        joined: call.joined.flatMap { places[$0] }, hadToWait: call.hadToWait)
    }
  }
}

/// Calls that were played in one way.
struct Run: Sendable {
  let way: Way
  /// By place.
  let calls: [PlayedCall]
}

extension Run {
  /// When the last call ended.
  var length: Duration { calls.map(\.finished).max() ?? .zero }

  /// The most calls that ran at the same moment.
  var mostAtOnce: Int {
    // At the same moment an end counts before a start: one call after the other is not two at once.
    let calls = calls.filter { $0.operations > 0 }
    let changes =
      calls.map { (at: $0.started, change: 1) } + calls.map { (at: max($0.finished, $0.started), change: -1) }
    var (now, most) = (0, 0)
    for (_, change) in changes.sorted(by: { ($0.at, $0.change) < ($1.at, $1.change) }) {
      now += change
      most = max(most, now)
    }
    return most
  }

  /// The calls' places in the order in which they finished.
  var finishingOrder: [Int] { calls.sorted { ($0.finished, $0.place) < ($1.finished, $1.place) }.map(\.place) }

  var finishedInOrder: Bool { finishingOrder == calls.map(\.place) }

  var failures: [(call: PlayedCall, error: NotesError)] {
    calls.compactMap { call in
      if case .failure(let error) = call.outcome { (call, error) } else { nil }
    }
  }
}
