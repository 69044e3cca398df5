/// Whether this process has access to one key, and what a job of the key has to do for it.
///
/// ```
///             next: ask            grant
///   without ────────────► asked ───────────► held ──┐
///    ▲ ▲ ▲                  │                 │ ▲   │ next: run
///    │ │ └──────────────────┘                 │ └───┘
///    │ │  end: the engine failed; the last    │
///    │ │  job left, and the request is        │
///    │ │  cancelled                           │
///    │ └──────────────────────────────────────┘
///    │    finish, by the last job that may run under the grant; leave, by the last job; lose
///    └─ next jobs ask again
/// ```
///
/// It runs under the lock of its ``AccessDesk``, and never resumes, cancels or calls anything. A job *arrives* with its call,
/// asks what is *next* whenever it has its turn in the line or has waited, *finishes* what it ran, and *leaves* with its call.
package struct AccessState<Holding: AnyObject & Sendable>: Sendable {
  /// What had happened to the key when a job arrived.
  package struct Ticket: Sendable, Equatable {
    fileprivate let failures: Int
    fileprivate let withdrawals: Int
  }

  private enum Phase: Sendable {
    case without
    case asked(Holding)
    /// So many jobs have run, or run, under this grant.
    case held(Holding, jobs: Int)
  }

  private var phase = Phase.without
  /// The jobs that have arrived and not left.
  package private(set) var jobs = 0
  private var failures = 0
  private var failure: (any Error)?
  private var withdrawals = 0
  /// The most jobs that run under one grant.
  private let limit: Int

  package init(limit: Int) { self.limit = limit }

  /// The grant under which jobs run, if there is one.
  package var held: Holding? { if case .held(let holding, _) = phase { holding } else { nil } }
}

// MARK: - Jobs

extension AccessState {
  package mutating func arrive() -> Ticket {
    jobs += 1
    return Ticket(failures: failures, withdrawals: withdrawals)
  }

  /// What a job does next that has its turn in the line.
  package enum Next: Sendable {
    /// Run under this grant; whether it is the first to do so.
    case run(Holding, isFirst: Bool)
    /// Wait until this request is decided, and come again.
    case wait(Holding)
    /// Send this request, then wait for it.
    case ask(Holding)
    case failed(any Error)
    case withdrawn
    /// It has no time to ask.
    case late
  }

  /// A new holding is made only for a new request, and only if the job may ask.
  package mutating func next(_ ticket: Ticket, mayAsk: Bool = true, new: @autoclosure () -> Holding) -> Next {
    if isWithdrawn(ticket) { return .withdrawn }
    if failures > ticket.failures { return .failed(failure!) }
    switch phase {
    case .without:
      if !mayAsk { return .late }
      let holding = new()
      phase = .asked(holding)
      return .ask(holding)
    case .asked(let holding): return .wait(holding)
    case .held(let holding, let jobs):
      phase = .held(holding, jobs: jobs + 1)
      return .run(holding, isFirst: jobs == 0)
    }
  }

  /// Whether the job was withdrawn before it began.
  package func isWithdrawn(_ ticket: Ticket) -> Bool { withdrawals > ticket.withdrawals }

  /// A job has ended; returns whether the grant is to be released, for others may be waiting elsewhere.
  package mutating func finish(_ holding: Holding) -> Bool {
    guard case .held(holding, let jobs) = phase, jobs >= limit else { return false }
    phase = .without
    return true
  }

  /// What is to be done when the last job has left.
  package enum Leaving: Sendable {
    case nothing
    case release(Holding)
    /// Cancel the request.
    case abandon(Holding)
  }

  package mutating func leave() -> Leaving {
    jobs -= 1
    guard jobs == 0 else { return .nothing }
    defer { phase = .without }
    return switch phase {
    case .without: .nothing
    case .asked(let holding): .abandon(holding)
    case .held(let holding, _): .release(holding)
    }
  }

  /// All jobs that have arrived and not begun are withdrawn; returns the request that one of them may wait for.
  package mutating func withdraw() -> Holding? {
    withdrawals += 1
    return if case .asked(let holding) = phase { holding } else { nil }
  }
}

// MARK: - The engine

extension AccessState {
  /// Access was granted; returns whether it is still wanted.
  package mutating func grant(_ holding: Holding) -> Bool {
    guard case .asked(holding) = phase else { return false }
    phase = .held(holding, jobs: 0)
    return true
  }

  /// A grant is known to be lost; returns whether it is to be released.
  ///
  /// If not even the first job could run, the jobs that have arrived fail with the error, or they would ask for ever.
  package mutating func lose(_ holding: Holding, failing error: (any Error)?) -> Bool {
    guard case .held(holding, _) = phase else { return false }
    phase = .without
    if let error { fail(error) }
    return true
  }

  /// The request came to its end, whether or not it was granted.
  package mutating func end(_ holding: Holding, _ error: any Error) {
    switch phase {
    case .asked(holding):
      phase = .without
      fail(error)
    case .held(holding, _): phase = .without
    default: break
    }
  }

  private mutating func fail(_ error: any Error) {
    failures += 1
    failure = error
  }
}

/// Matches this very object in a pattern.
private func ~= <Object: AnyObject>(object: Object, other: Object) -> Bool { object === other }
