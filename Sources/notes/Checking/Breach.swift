/// Where a run did not keep what its way promises, whatever the store and the answers say.
enum Breach: Hashable {
  /// A call ran while one was under way that had to have ended, by place.
  case overlap(Int, with: Int)
  /// A call joined one that was not the same read, or that a write stood before it.
  case wrongJoin(Int, of: Int)
  /// The repository was asked so often for a call that needed it so often.
  case operations(Int, found: Int, needed: Int)

  /// The place of the call that it is reported of.
  var place: Int {
    switch self {
    case .overlap(let place, _), .wrongJoin(let place, _), .operations(let place, _, _): place
    }
  }
}

extension Breach {
  /// What it is, within a sentence.
  func words(in run: Run) -> String {
    func name(_ place: Int) -> String { run.calls[place - 1].name }
    return switch self {
    case .overlap(let place, let other): "\(name(place)) began before \(name(other)) had ended"
    case .wrongJoin(let place, let other): "\(name(place)) joined \(name(other)), and must not have"
    case .operations(let place, let found, let needed):
      "the repository was asked \(Count.times(found)) for \(name(place)), where it is asked \(Count.times(needed))"
    }
  }
}

// MARK: - Finding

extension Breach {
  /// All of a run, by place; a way that promises nothing breaks nothing.
  static func all(in run: Run) -> [Breach] {
    if run.way.promise == .nothing { return [] }
    return (overlaps(in: run) + joins(in: run) + operations(in: run)).sorted { $0.place < $1.place }
  }

  /// Calls that began too early: a call that runs alone waits for all before it, any other for those that run alone.
  private static func overlaps(in run: Run) -> [Breach] {
    var breaches: [Breach] = []
    var last: PlayedCall?
    var lastAlone: PlayedCall?
    func later(_ one: PlayedCall?, _ other: PlayedCall) -> PlayedCall {
      if let one, one.finished > other.finished { one } else { other }
    }
    for call in run.calls where call.operations > 0 {
      let isAlone = run.way.promise == .oneAtATime || !call.call.isRead
      if let before = isAlone ? last : lastAlone, call.started < before.finished {
        breaches.append(.overlap(call.place, with: before.place))
      }
      last = later(last, call)
      if isAlone { lastAlone = later(lastAlone, call) }
    }
    return breaches
  }

  private static func joins(in run: Run) -> [Breach] {
    var lastWrite = 0
    return run.calls.compactMap { call in
      if !call.call.isRead { lastWrite = call.place }
      guard let place = call.joined else { return nil }
      let leader = run.calls[place - 1]
      let mayJoin =
        run.way.promise == .readsTogether && call.call.isRead && leader.call == call.call && leader.operations > 0
        && (lastWrite + 1..<call.place).contains(place)
      return mayJoin ? nil : .wrongJoin(call.place, of: place)
    }
  }

  private static func operations(in run: Run) -> [Breach] {
    run.calls.compactMap { call in
      let needed = if case .failure(.unavailable) = call.outcome { 0 } else { call.joined == nil ? 1 : 0 }
      return call.operations == needed ? nil : .operations(call.place, found: call.operations, needed: needed)
    }
  }
}
