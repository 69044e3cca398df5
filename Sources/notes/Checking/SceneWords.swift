/// Says in words what a scene came to; every part is read off the scene.
extension Scene {
  /// How often the backend was called, within a sentence.
  var counted: String { "the backend was called \(Count.times(calls.count))" }

  /// Who was answered by what.
  var sharing: String {
    let parts = Reply.Source.allCases.compactMap { source -> String? in
      let callers = callers(by: source)
      return callers.isEmpty ? nil : "\(Self.named(callers)) \(source.did(callers.count))"
    }
    return "\(parts.joined(separator: ", ")): \(Count.of(answered.count, "answer")), and \(counted).".capitalizedFirst
  }

  /// What each did alone.
  var separation: String {
    """
    \(Self.named(visits.filter { ownCall(of: $0) != nil }.map(\.caller))) each ran an operation of their own: \
    \(counted), for the same profile.
    """
    .capitalizedFirst
  }

  /// What came of the prefetch.
  var pickingUp: String {
    guard let late = answered.first, let call = calls.first(where: { $0.number == late.reply.profile.call }),
      let ended = call.ended
    else { return "No caller was answered, and \(counted)." }
    let own = ownCall(of: late.visit) == nil ? "without a call of its own" : "with a call of its own"
    return """
      The \(late.visit.caller) asked \(Seconds.text(late.visit.asked - ended)) after the call for the \(call.caller) had \
      ended, and was answered \(Self.quickly(late.visit.ended - late.visit.asked)), \(own): \(counted).
      """
  }

  /// What came of the leaving.
  var leaving: String {
    guard let visit = visits.first(where: { $0.ending == .left }), let cancelled = visit.cancelledAt else {
      return "No caller left, and \(counted)."
    }
    let own = ownCall(of: visit) == nil ? "the flight it had joined" : "its operation"
    let last = answered.map(\.visit.ended).max() ?? .zero
    return """
      The \(visit.caller) left at \(Seconds.text(cancelled)) and had its CancellationError \
      \(Self.quickly(visit.ended - cancelled)); \(own) went on for \(Self.named(answered.map(\.visit.caller))), who had the answer at \(Seconds.text(last)): \
      \(counted).
      """
  }

  /// The backend’s own account, a line a call.
  var account: [String] {
    calls.map { call in
      let end =
        call.ended.map { "ended at \(Seconds.text($0))" } ?? (call.wasCancelled ? "was cancelled" : "has not ended")
      return "Backend call \(call.number), for the \(call.caller), began at \(Seconds.text(call.began)) and \(end)."
    }
  }

  static func named(_ callers: [String]) -> String { Count.list(callers.map { "the \($0)" }) }

  private static func quickly(_ time: Duration) -> String {
    time < .milliseconds(1) ? "within a millisecond" : "\(Seconds.text(time)) later"
  }
}

extension Reply.Source {
  /// What so many callers did.
  func did(_ count: Int) -> String {
    switch self {
    case .alone: "asked alone"
    case .led: "led"
    case .joined: "joined"
    case .prefetched: "\(count == 1 ? "was" : "were") served what was prefetched"
    }
  }
}

extension SceneVerdict {
  /// The finding: what went wrong, or else the sentence.
  func finding(_ sentence: String) -> String {
    isRight ? sentence : "What went wrong: \(problems.map(\.text).joined(separator: "; "))."
  }
}
