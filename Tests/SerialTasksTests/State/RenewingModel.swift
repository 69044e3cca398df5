import Testing

/// A renewing value as two arrays, the renewals and the callers: the model that `RenewingState` is held against.
///
/// Nothing is taken out or put aside here: what is kept is looked for among all renewals there ever were, and values are known
/// by the renewal that they come from.
struct RenewingModel: StateModel {
  /// What can happen; callers and renewals are numbered in the order in which they come.
  enum Event: Hashable {
    case ask
    /// By a caller that was refused the newest value, or the one before it.
    case askInsteadOfTheNewest, askInsteadOfAnOlder
    /// By a caller that must not wait.
    case askWithoutWaiting
    /// The task of a renewal comes to run.
    case begin(Int)
    case succeed(Int, validity: Int), fail(Int)
    case leave(Int)
    case clear, close
    /// A value from elsewhere, valid for 2.
    case replace
    case step
    /// The clock is set back to where it began.
    case setBack
  }

  enum Fate: Hashable {
    case waits(Int)
    /// With the value of a renewal: at once, or by one that has landed.
    case served(Int), answered(Int)
    case failed(Int)
    /// With the error of a renewal that had failed before.
    case spared(Int)
    case left, withdrawn, rejected
  }

  enum Stage: Hashable {
    case mayBegin, runs
    case returned(since: Int, until: Int)
    case failed
    /// A newer one has returned first.
    case overtaken
    case cleared
  }

  struct Renewal {
    let began: Int
    var stage: Stage
    /// The renewal whose value it was given.
    var previous: Int?
    /// Whether its operation has ended, or its task has found that it is not wanted.
    var isOver = false

    var isWanted: Bool { stage == .mayBegin || stage == .runs }
  }

  /// How much of the end of a validity is *ahead*: a value that is valid for 2 is fresh for 1.
  static let renewAhead = 1

  struct Settings: CustomTestStringConvertible {
    var joinWindow: Int?
    var pauseAfterFailure: Int?

    var testDescription: String { "\(self)" }
  }

  let settings: Settings
  /// Values from elsewhere are among them.
  var renewals: [Renewal] = []
  var callers: [Fate] = []
  var now = 0
  var isClosed = false
  /// The last that failed, and when.
  var failure: (renewal: Int, since: Int)?

  init(_ settings: Settings) { self.settings = settings }
}

// MARK: - What is so

extension RenewingModel {
  /// The newest that has returned since everything was forgotten, and how long its value is valid from now on.
  var newest: (number: Int, remaining: Int?)? {
    for (number, renewal) in renewals.enumerated().reversed() {
      if case .returned(let since, let until) = renewal.stage {
        return (number, since <= now && now < until ? until - now : nil)
      }
    }
    return nil
  }

  /// What is kept: nothing more once it is closed and no renewal is wanted.
  var kept: Int? { isClosed && !renewals.contains(where: \.isWanted) ? nil : newest?.number }

  /// The error that is thrown instead of renewing.
  var sparing: Int? {
    guard let failure, let pause = settings.pauseAfterFailure else { return nil }
    return failure.since <= now && now < failure.since + pause ? failure.renewal : nil
  }

  var joinable: Int? {
    guard let last = renewals.lastIndex(where: \.isWanted) else { return nil }
    return settings.joinWindow.map { now - renewals[last].began < $0 } ?? true ? last : nil
  }

  func callers(of renewal: Int) -> [Int] { callers.indices.filter { callers[$0] == .waits(renewal) } }

  var possibleEvents: [Event] {
    var events: [Event] = renewals.isEmpty ? [] : [.clear, .step]
    if !isClosed { events.append(.close) }
    if renewals.count < 4 { events.append(.replace) }
    if now > 0 { events.append(.setBack) }
    if callers.count < 3 { events += [.ask, .askInsteadOfTheNewest, .askInsteadOfAnOlder, .askWithoutWaiting] }
    for renewal in renewals.indices where !renewals[renewal].isOver {
      if renewals[renewal].previous == nil { events.append(.begin(renewal)) }
      if hasBegun(renewal) { events += [0, 1, 2].map { .succeed(renewal, validity: $0) } + [.fail(renewal)] }
    }
    for caller in callers.indices { if case .waits = callers[caller] { events.append(.leave(caller)) } }
    return events
  }

  /// Whether its operation runs, wanted or not.
  private func hasBegun(_ renewal: Int) -> Bool { renewals[renewal].previous != nil }
}

// MARK: - What happens

extension RenewingModel {
  /// Stands for no previous value, of a renewal that has begun.
  static let nothing = -1

  mutating func apply(_ event: Event) {
    switch event {
    case .ask: callers.append(ask(refused: nil))
    case .askInsteadOfTheNewest: callers.append(ask(refused: newest?.number))
    case .askInsteadOfAnOlder: callers.append(ask(refused: newest.map { $0.number - 1 }))
    case .askWithoutWaiting: callers.append(ask(refused: nil, mayWait: false))
    case .begin(let renewal):
      guard renewals[renewal].isWanted else { return renewals[renewal].isOver = true }
      renewals[renewal].stage = .runs
      renewals[renewal].previous = newest?.number ?? Self.nothing
    case .succeed(let renewal, let validity): succeed(renewal, validity)
    case .fail(let renewal):
      renewals[renewal].isOver = true
      guard renewals[renewal].isWanted else { return }
      renewals[renewal].stage = .failed
      failure = (renewal, now)
      for caller in callers(of: renewal) { callers[caller] = .failed(renewal) }
    case .leave(let caller): callers[caller] = .left
    case .close: isClosed = true
    case .replace:
      if isClosed { return }
      renewals.append(Renewal(began: now, stage: .mayBegin, previous: Self.nothing))
      succeed(renewals.count - 1, 2)
    case .clear:
      failure = nil
      for renewal in renewals.indices {
        for caller in callers(of: renewal) { callers[caller] = .withdrawn }
        switch renewals[renewal].stage {
        case .mayBegin, .runs, .returned: renewals[renewal].stage = .cleared
        case .failed, .overtaken, .cleared: break
        }
      }
    case .step: now += 1
    case .setBack: now = 0
    }
  }

  private mutating func ask(refused: Int?, mayWait: Bool = true) -> Fate {
    if isClosed { return .rejected }
    let joinable = joinable
    if let newest, let remaining = newest.remaining, newest.number != refused {
      if remaining <= Self.renewAhead, joinable == nil, sparing == nil, mayWait { make() }
      return .served(newest.number)
    }
    if !mayWait { return .rejected }
    if joinable == nil, let sparing { return .spared(sparing) }
    if joinable == nil { make() }
    return .waits(joinable ?? renewals.count - 1)
  }

  private mutating func make() { renewals.append(Renewal(began: now, stage: .mayBegin)) }

  private mutating func succeed(_ renewal: Int, _ validity: Int) {
    renewals[renewal].isOver = true
    guard renewals[renewal].isWanted else { return }
    renewals[renewal].stage = .returned(since: now, until: now + validity)
    failure = nil
    for older in 0...renewal {
      for caller in callers(of: older) { callers[caller] = .answered(renewal) }
      if renewals[older].isWanted { renewals[older].stage = .overtaken }
    }
  }
}
