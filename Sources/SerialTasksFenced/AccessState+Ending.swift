extension AccessState {
  package enum Ending: Sendable {
    case nothing
    case release(Holding)
    case cancel(Holding)
  }

  mutating func end() -> Ending {
    defer { phase = .without }
    return switch phase {
    case .without: .nothing
    case .asked(let holding, _): .cancel(holding)
    case .held(let held): .release(held.holding)
    }
  }

  package mutating func giveUp() -> Ending {
    if case .held(let held) = phase, held.isUsed { return .nothing }
    return end()
  }

  package mutating func giveUpKept() -> Ending {
    guard case .held(let held) = phase, held.kept != nil else { return .nothing }
    return end()
  }

  /// Cancels a request that seems to hang: a caller with this limit is late, and the request is at least as old.
  ///
  /// A new request queues behind those of other processes. So each gets twice the time of the previous and of the
  /// last granted one, but at most four times the limit, or ten seconds if that is longer: callers with short limits
  /// must not keep patient callers from their turn.
  package mutating func giveUp(lateBy limit: Duration, at now: Duration) -> Ending {
    guard limit > .zero, case .asked(_, let start) = phase else { return .nothing }
    let age = now - start
    if age < max(limit, min(patience, max(limit * 4, .seconds(10)))) { return .nothing }
    patience = age * 2
    return end()
  }

  package mutating func want(_ holding: Holding, at now: Duration) -> Ending {
    change(holding) { $0.wanted = now }
    return held === holding ? giveUpKept() : .nothing
  }

  package enum Keeping: Sendable, Equatable {
    case over
    case look(after: Duration)
  }

  /// Returns when to check again, unless access was kept for its full time.
  package mutating func keep(_ holding: Holding, at now: Duration) -> (Keeping, Ending) {
    guard case .held(let held) = phase, held.holding === holding else { return (.over, .nothing) }
    guard let kept = held.kept else { return (.look(after: terms.keeping), .nothing) }
    let left = kept + terms.keeping - now
    return left > .zero ? (.look(after: left), .nothing) : (.over, end())
  }

}

extension AccessState {
  /// Notes a caller that waits for the release of access that jobs up to this place have used or asked for; releases
  /// kept access.
  ///
  /// Later jobs neither use it nor wait for it: the caller would wait for them.
  package mutating func beginDrain(upTo place: Place) -> Ending {
    drains.append(place)
    return giveUpKept()
  }

  package mutating func endDrain(upTo place: Place) { drains.remove(at: drains.firstIndex(of: place)!) }

  /// Ends the request, or its access, if a caller of `drain` came between its first job and this one.
  package mutating func makeWay(forJobAt place: Place) -> Ending {
    if case .without = phase { return .nothing }
    let first = sent.last!.first
    return drains.contains { first <= $0 && $0 < place } ? end() : .nothing
  }

  var isDrained: Bool { drains.contains { sent.last!.first <= $0 } }

  /// Returns all of them: a cancelled request may end before earlier ones.
  package func awaited(upTo place: Place) -> [Holding] { sent.filter { $0.first <= place }.map(\.holding) }
}

extension AccessState {
  /// Returns whether the access is still needed.
  package mutating func grant(_ holding: Holding, at now: Duration) -> Bool {
    guard case .asked(holding, let start) = phase else { return false }
    phase = .held(Held(holding: holding))
    patience = (now - start) * 2
    return true
  }

  /// Fails jobs that requested the access and have not run, or they would request access forever.
  package mutating func lose(_ holding: Holding, failing error: (any Error)?) -> Ending {
    guard held === holding else { return .nothing }
    if let error { fail(error) }
    return end()
  }

  /// Called when the request has ended, granted or not.
  package mutating func end(_ holding: Holding, _ error: any Error) {
    sent.removeAll { $0.holding === holding }
    switch phase {
    case .asked(holding, _):
      phase = .without
      fail(error)
    case .held(let held) where held.holding === holding: phase = .without
    default: break
    }
  }

  private mutating func fail(_ error: any Error) {
    failures += 1
    failure = error
  }
}

private func ~= <Object: AnyObject>(object: Object, other: Object) -> Bool { object === other }
