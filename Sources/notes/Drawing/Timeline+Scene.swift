extension Timeline {
  /// A scene as it is drawn: a row a caller, and below them a row for each call of the backend.
  init(_ scene: Scene, _ verdict: SceneVerdict) {
    let wrong = Set(verdict.problems.compactMap(\.caller))
    let callers = scene.visits.enumerated().map { index, visit in
      Row(visit, number: index + 1, scene, isWrong: wrong.contains(visit.caller))
    }
    self.init(rows: callers + scene.calls.map { Row($0) }, subject: "Caller")
  }
}

extension Timeline.Row {
  fileprivate init(_ visit: Visit, number: Int, _ scene: Scene, isWrong: Bool) {
    let ownCall = scene.ownCall(of: visit)
    let ended = visit.ending == .prefetched ? ownCall?.ended ?? visit.ended : visit.ended
    self.number = String(number)
    label = visit.caller
    asked = Seconds.of(visit.asked)
    finished = Seconds.of(ended)
    standing = isWrong ? .wrong : .noted(visit.ending.word)
    if ownCall != nil {
      (waiting, running, started) = (nil, .own, asked)
    } else if case .answered(let reply) = visit.ending, reply.source == .prefetched {
      (waiting, running, started) = (nil, .served, asked)
    } else {
      (waiting, running, started) = (.flight, nil, finished)
    }
    details = [
      "\(number). \(visit.caller)", "asked at \(Seconds.text(visit.asked)), ended at \(Seconds.text(ended))",
      visit.ending.words, ownCall.map { "its operation made backend call \($0.number)" } ?? "its operation never ran",
    ].joined(separator: " · ")
  }

  fileprivate init(_ call: BackendCall) {
    number = ""
    label = "backend call \(call.number)"
    (waiting, running) = (nil, .backend)
    standing = call.wasCancelled ? .noted("cancelled") : .fine
    asked = Seconds.of(call.began)
    started = asked
    finished = Seconds.of(call.ended ?? call.began)
    details = "backend call \(call.number) · for the \(call.caller)"
  }
}

extension Visit.Ending {
  /// In a word, for the row.
  fileprivate var word: String {
    switch self {
    case .answered(let reply):
      switch reply.source {
      case .alone: "alone"
      case .led: "led"
      case .joined: "joined"
      case .prefetched: "prefetched"
      }
    case .left: "left"
    case .failed: "failed"
    case .stillWaiting: "waiting"
    case .prefetched: "prefetch"
    }
  }

  fileprivate var words: String {
    switch self {
    case .answered(let reply): "\(word), answered by backend call \(reply.profile.call)"
    case .left: "left, with a CancellationError"
    case .failed(let reason): "failed: \(Printable.text(reason))"
    case .stillWaiting: "never answered"
    case .prefetched: "waited for nothing"
    }
  }
}
