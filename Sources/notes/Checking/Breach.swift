/// Where a run did not keep what its way promises, whatever the store and the answers say.
enum Breach: Hashable {
  /// A call ran while one was under way that had to have ended, by place.
  case overlap(Int, with: Int)
  /// A call was made to wait, though no call before it had anything to do with it.
  case needlessWait(Int)
  /// A call joined one that was not the same read, or that a write stood before it.
  case wrongJoin(Int, of: Int)
  /// The repository was asked so often for a call that needed it so often.
  case operations(Int, found: Int, needed: Int)

  /// The place of the call that it is reported of.
  var place: Int {
    switch self {
    case .overlap(let place, _), .needlessWait(let place), .wrongJoin(let place, _), .operations(let place, _, _): place
    }
  }
}

extension Breach {
  /// What it is, within a sentence.
  func words(in run: Run) -> String {
    func name(_ place: Int) -> String { run.calls[place - 1].name }
    return switch self {
    case .overlap(let place, let other): "\(name(place)) began before \(name(other)) had ended"
    case .needlessWait(let place): "\(name(place)) had to wait, and there was nothing to wait for"
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
    return (overlaps(in: run) + needlessWaits(in: run) + joins(in: run) + operations(in: run))
      .sorted { $0.place < $1.place }
  }

  /// Calls that began too early: before the end of one that they must wait for.
  private static func overlaps(in run: Run) -> [Breach] {
    var breaches: [Breach] = []
    // The call that ended last, among all and among those that were alone.
    var last: [Claim.Thing: PlayedCall] = [:]
    var lastAlone: [Claim.Thing: PlayedCall] = [:]
    func later(_ one: PlayedCall?, _ other: PlayedCall) -> PlayedCall {
      if let one, one.finished > other.finished { one } else { other }
    }
    for call in run.calls where call.operations > 0 {
      let claims = Claim.all(of: call.call, run.way.promise)
      let ahead = claims.compactMap { $0.isAlone ? last[$0.thing] : lastAlone[$0.thing] }
      if let before = ahead.max(by: { $0.finished < $1.finished }), call.started < before.finished {
        breaches.append(.overlap(call.place, with: before.place))
      }
      for claim in claims {
        last[claim.thing] = later(last[claim.thing], call)
        if claim.isAlone { lastAlone[claim.thing] = later(lastAlone[claim.thing], call) }
      }
    }
    return breaches
  }

  /// Only of calls with none before them that they could have waited for: when another has made way is not known exactly.
  private static func needlessWaits(in run: Run) -> [Breach] {
    var claimed: Set<Claim.Thing> = []
    var claimedAlone: Set<Claim.Thing> = []
    return run.calls.compactMap { call in
      let claims = Claim.all(of: call.call, run.way.promise)
      let mayWait = claims.contains { ($0.isAlone ? claimed : claimedAlone).contains($0.thing) }
      claimed.formUnion(claims.map(\.thing))
      claimedAlone.formUnion(claims.filter(\.isAlone).map(\.thing))
      return call.hadToWait && !mayWait ? .needlessWait(call.place) : nil
    }
  }

  private static func joins(in run: Run) -> [Breach] {
    var lastAlone: [Claim.Thing: Int] = [:]
    return run.calls.compactMap { call in
      let claims = Claim.all(of: call.call, run.way.promise)
      for claim in claims where claim.isAlone { lastAlone[claim.thing] = call.place }
      guard let place = call.joined else { return nil }
      let leader = run.calls[place - 1]
      let mayJoin =
        leader.call == call.call && leader.operations > 0 && place < call.place
        && claims.allSatisfy { !$0.isAlone && lastAlone[$0.thing] ?? 0 < place }
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
