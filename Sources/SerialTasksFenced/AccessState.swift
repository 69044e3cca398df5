/// Whether this process has access to one key, and what a job of the key has to do for it.
///
/// ```
///             next: ask            grant             next: run
///   without ────────────► asked ───────────► free ◄────────────► used
///    ▲                      │                │ ▲  finish, putBack
///    │                      │                │ │ next: run
///    │                      │          leave │ │
///    │                      │                ▼ │
///    │                      │               kept
///    └──────────────────────┴────────────────┴
///      asked: the engine failed; no job has the turn any more; a caller is late; another key comes first
///      free:  the last job that may run under the grant has ended, or one during which another process has waited for long
///             enough; no job has the turn, and access is not to be kept; it was lost; another key comes first
///      kept:  its time is over; another process asks; it is not to be kept any more
/// ```
///
/// Access is *used* by the job that has the turn, *free* when that is about to go on or has just ended, and *kept* when no job
/// has the turn.
///
/// **Invariant:** access is asked for, or free, only while a job has the turn of the key, or one is on its way that decides anew: it
/// has no place yet, or has ended and not left. It is never held for jobs that all wait in the line. A job over several keys may wait
/// there for its turn on another key, which another process has that waits for this one: both would wait for ever. So what uses access
/// next is decided in one step with what the line says, and again whenever that may have changed: when a job leaves, and when one of
/// several keys comes.
///
/// It runs under the lock of its ``AccessDesk``, and never resumes, cancels or calls anything. A job *arrives* with its call,
/// asks what is *next* whenever it has its turn in the line or has waited, *finishes* what it ran, and *leaves* with its call.
package struct AccessState<Holding: AnyObject & Sendable>: Sendable {
  /// What an executor was told.
  package struct Terms: Sendable {
    /// The most jobs that run under one grant.
    package let jobs: Int
    /// How long access is kept.
    package let keeping: Duration

    package init(jobs: Int, keeping: Duration = .zero) {
      self.jobs = jobs
      self.keeping = keeping
    }
  }

  /// What had happened to the key when a job arrived.
  package struct Ticket: Sendable, Equatable {
    fileprivate let failures: Int
    fileprivate let withdrawals: Int
    /// Whether the job has other keys, too.
    fileprivate let isOfSet: Bool
  }

  /// A grant.
  struct Held: Sendable {
    let holding: Holding
    /// So many jobs have run, or run, under it.
    var jobs = 0
    var isUsed = false
    /// Since when it is kept.
    var kept: Duration?
    /// Whether it was kept, so that no job had asked for it when it was lost.
    var wasKept = false
    /// Since when another process asks.
    var wanted: Duration?
  }

  enum Phase: Sendable {
    case without
    case asked(Holding, at: Duration)
    case held(Held)
  }

  let terms: Terms
  var phase = Phase.without
  /// The jobs that have arrived and not left, and those among them that have other keys, too.
  package private(set) var jobs = 0
  private var jobsOfSets = 0
  /// Whether a submitted job has left since a job last came to its turn: it leaves in its turn, so it may have that still.
  private var hasLeftInTurn = false
  /// The callers that wait until nothing is held.
  var drains = 0
  var failures = 0
  var failure: (any Error)?
  private var withdrawals = 0
  /// How old a request has to be, at least, to be taken for one that hangs.
  var patience = Duration.zero

  package init(_ terms: Terms) { self.terms = terms }

  /// The grant that is in force, if there is one.
  package var held: Holding? { if case .held(let held) = phase { held.holding } else { nil } }

  /// Whether nothing would be lost if it was forgotten.
  package var isUnused: Bool { if case .without = phase { jobs == 0 && drains == 0 } else { false } }
}

// MARK: - Jobs

extension AccessState {
  /// Notes that a job has come to the key.
  package mutating func arrive(isOfSet: Bool = false) -> Ticket {
    jobs += 1
    if isOfSet { jobsOfSets += 1 }
    return Ticket(failures: failures, withdrawals: withdrawals, isOfSet: isOfSet)
  }

  /// What a job does next that has its turn in the line.
  package enum Next: Sendable {
    /// Use this grant. If it is found lost, and was asked for by jobs that have not run, they fail.
    case use(Holding, failsIfLost: Bool)
    /// Come again when the job may wait.
    case mustWait
    /// Wait until the request of the key is decided, and come again.
    case wait
    /// Send this request, then wait for it.
    case ask(Holding)
    case failed(any Error)
  }

  /// Lets the job that has the turn, and is not withdrawn, use access, or says what is in the way.
  ///
  /// - Parameters:
  ///   - ticket: What the job was given when it arrived.
  ///   - mayWait: Whether it may wait for a request, or send one; if not, nothing changes.
  ///   - now: When a request is sent.
  ///   - new: Makes the holding of a new request.
  /// - Returns: What the job does.
  package mutating func next(
    _ ticket: Ticket, mayWait: Bool, at now: Duration, new: @autoclosure () -> Holding
  ) -> Next {
    // The turn of those before it is over.
    hasLeftInTurn = false
    if failures > ticket.failures { return .failed(failure!) }
    switch phase {
    case .without where !mayWait, .asked where !mayWait: return .mustWait
    case .without:
      let holding = new()
      phase = .asked(holding, at: now)
      return .ask(holding)
    case .asked: return .wait
    case .held(var held):
      let failsIfLost = held.jobs == 0 && !held.wasKept
      held.jobs += 1
      held.isUsed = true
      held.kept = nil
      phase = .held(held)
      return .use(held.holding, failsIfLost: failsIfLost)
    }
  }

  /// Returns whether the job was withdrawn before it began.
  package func isWithdrawn(_ ticket: Ticket) -> Bool { withdrawals > ticket.withdrawals }

  /// Notes that the job that uses access does not run, or not yet.
  package mutating func putBack(_ holding: Holding) {
    change(holding) {
      $0.isUsed = false
      $0.jobs -= 1
    }
  }

  /// Notes that a job has run; releases access if others may be waiting elsewhere, or have waited for as long as it may be kept.
  package mutating func finish(_ holding: Holding, at now: Duration) -> Ending {
    guard case .held(let held) = phase, held.holding === holding else { return .nothing }
    if held.jobs >= terms.jobs { return end() }
    if let wanted = held.wanted, now - wanted >= terms.keeping { return end() }
    change(holding) { $0.isUsed = false }
    return .nothing
  }

  mutating func change(_ holding: Holding, _ body: (inout Held) -> Void) {
    guard case .held(var held) = phase, held.holding === holding else { return }
    body(&held)
    phase = .held(held)
  }

  /// Notes that the call of a job returns; of a submitted job, that it has ended or was rejected.
  package mutating func leave(_ ticket: Ticket, isSubmitted: Bool) {
    jobs -= 1
    if ticket.isOfSet { jobsOfSets -= 1 }
    if isSubmitted { hasLeftInTurn = true }
  }

  /// Whether a job uses access next that waits for no other key.
  ///
  /// - Parameters:
  ///   - isPaused: Whether the line is.
  ///   - hasTurn: Whether a job has the turn of the key in the line.
  /// - Returns: Whether access is to be held, or asked for, on.
  package func hasNext(isPaused: Bool, hasTurn: @autoclosure () -> Bool) -> Bool {
    if jobs == 0 { return false }
    // Jobs of this key alone wait only for each other.
    if jobsOfSets == 0, !isPaused { return true }
    return !hasLeftInTurn && hasTurn()
  }

  /// Gives up access that no job uses, or keeps it, unless a job uses it next.
  ///
  /// To be asked when a job has left, and when one that has other keys has come: those between it and the last may be behind it.
  ///
  /// - Parameters:
  ///   - hasNext: Whether a job uses access next that waits for no other key.
  ///   - mayKeep: Whether access may be kept.
  ///   - now: Since when it is kept.
  /// - Returns: What is to be done.
  package mutating func rest(hasNext: Bool, mayKeep: Bool, at now: Duration) -> Ending {
    guard awaitsJob, !hasNext else { return .nothing }
    guard case .held(let held) = phase, mayKeep, held.wanted == nil, drains == 0, terms.keeping > .zero else {
      return end()
    }
    change(held.holding) {
      $0.kept = now
      $0.wasKept = true
    }
    return .nothing
  }

  /// Whether access is asked for, or free: it waits for a job that uses it.
  package var awaitsJob: Bool {
    switch phase {
    case .without: false
    case .asked: true
    case .held(let held): !held.isUsed && held.kept == nil
    }
  }

  /// Withdraws all jobs that have arrived and not begun.
  package mutating func withdraw() { withdrawals += 1 }
}
