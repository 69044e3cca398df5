/// A scene held against what it must come to.
struct SceneVerdict {
  /// What a scene must come to.
  struct Must {
    /// How often the backend is called.
    let calls: Int
    /// How many callers are answered, and how.
    let sources: [Reply.Source: Int]
  }

  /// What is not as it must be.
  struct Problem: Hashable {
    /// The caller whose row it is, if it is one's.
    let caller: String?
    let text: String
  }

  let problems: [Problem]

  var isRight: Bool { problems.isEmpty }

  init(_ scene: Scene, must: Must) {
    problems = Self.counts(scene, must) + scene.visits.flatMap { Self.endings($0, scene) } + Self.cancelled(scene)
  }
}

// MARK: - The whole

extension SceneVerdict {
  private static func counts(_ scene: Scene, _ must: Must) -> [Problem] {
    var texts: [String] = []
    if scene.calls.count != must.calls {
      texts.append("\(scene.counted) and must be called \(Count.times(must.calls))")
    }
    for source in Reply.Source.allCases {
      let (count, needed) = (scene.callers(by: source).count, must.sources[source] ?? 0)
      if count != needed { texts.append("\(Count.of(count, "caller")) \(source.did(count)) and \(needed) must have") }
    }
    return texts.map { Problem(caller: nil, text: $0) }
  }

  private static func cancelled(_ scene: Scene) -> [Problem] {
    scene.calls.filter(\.wasCancelled).map {
      Problem(caller: nil, text: "backend call \($0.number) was cancelled while a caller waited for it")
    }
  }
}

// MARK: - Each caller

extension SceneVerdict {
  private static func endings(_ visit: Visit, _ scene: Scene) -> [Problem] {
    let texts: [String] =
      switch (visit.ending, visit.cancelledAt) {
      case (.answered(let reply), nil): answers(visit, reply, scene)
      case (.answered, .some): ["was cancelled, and was answered all the same"]
      case (.left, nil): ["got a CancellationError, though it had not been cancelled"]
      case (.left, .some): lateLeaves(visit, scene)
      case (.failed(let reason), _): ["failed: \(Printable.text(reason))"]
      case (.stillWaiting, _): ["still waited at \(Seconds.text(visit.ended))"]
      case (.prefetched, _): []
      }
    return texts.map { Problem(caller: visit.caller, text: "the \(visit.caller) \($0)") }
  }

  private static func answers(_ visit: Visit, _ reply: Reply, _ scene: Scene) -> [String] {
    guard let call = scene.calls.first(where: { $0.number == reply.profile.call }),
      let ended = call.ended, ended <= visit.ended
    else { return ["got an answer that no call of the backend has given"] }
    let own = scene.ownCall(of: visit)
    switch reply.source {
    case .alone where own?.number != call.number, .led where own?.number != call.number:
      return ["got the answer of another’s operation, and was reported to have led its own"]
    case .joined where own != nil, .prefetched where own != nil:
      return ["was reported to have joined another’s operation, and its own ran too"]
    default: return []
    }
  }

  private static func lateLeaves(_ visit: Visit, _ scene: Scene) -> [String] {
    let isLate = scene.calls.contains { call in call.ended.map { $0 <= visit.ended } ?? false }
    return isLate ? ["left only when the backend had answered"] : []
  }
}
