/// What became of one caller of a scene.
///
/// Times are measured from the beginning of the scene.
struct Visit: Sendable {
  /// How a visit ended.
  enum Ending: Hashable, Sendable {
    case answered(Reply)
    /// It left, and got its `CancellationError`.
    case left
    case failed(String)
    /// It had no answer when the demonstration stopped waiting.
    case stillWaiting
    /// It asked for a later caller and waited for nothing.
    case prefetched
  }

  let caller: String
  let asked: Duration
  let ended: Duration
  let ending: Ending
  /// When it was cancelled, if it was.
  var cancelledAt: Duration?
}

/// Callers that wanted the profile, and what the backend saw of them.
struct Scene: Sendable {
  /// In the order in which they asked.
  var visits: [Visit]
  /// By number.
  let calls: [BackendCall]
}

extension Scene {
  /// The call that the caller's own operation made.
  func ownCall(of visit: Visit) -> BackendCall? { calls.first { $0.caller == visit.caller } }

  /// Those who waited for an answer and got it, and how.
  var answered: [(visit: Visit, reply: Reply)] {
    visits.compactMap { visit in
      if case .answered(let reply) = visit.ending { (visit, reply) } else { nil }
    }
  }

  func callers(by source: Reply.Source) -> [String] {
    answered.filter { $0.reply.source == source }.map(\.visit.caller)
  }
}
