/// Whether this process has access to one key, and what a job of the key has to do to get it.
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
///      free:  the last job of the grant has ended, or a job during which another process has waited for long enough; no job
///             has the turn, and access is not to be kept; it was lost; another key comes first
///      kept:  its time is over; another process asks; it is not to be kept any more
/// ```
///
/// **Invariant:** access is requested or free only while a job has the turn of the key, or is about to decide again: it
/// has no place yet, or has ended and not left. Access is never held for jobs that all wait in the line: a job with
/// several keys may wait there for a key of another process, which may wait for this one. So its next use is decided in
/// one step with the state of the line, and again when a job leaves, or a job of several keys arrives.
///
/// A job *arrives* with its call, calls *next* whenever it has its turn in the line or has waited, *finishes* when it
/// has run, and *leaves* with its call. All of this happens under the lock of the ``AccessDesk``.
package struct AccessState<Holding: AnyObject & Sendable>: Sendable {
  package struct Terms: Sendable {
    /// The maximum under one grant.
    package let jobs: Int
    package let keeping: Duration

    package init(jobs: Int, keeping: Duration = .zero) {
      self.jobs = jobs
      self.keeping = keeping
    }
  }

  /// How often the key had failed and been withdrawn when a job arrived.
  package struct Ticket: Sendable, Equatable {
    fileprivate let failures: Int
    fileprivate let withdrawals: Int
    /// Whether the job also has other keys.
    fileprivate let isOfSet: Bool
  }

  struct Held: Sendable {
    let holding: Holding
    /// Those that have run, or run, under it.
    var jobs = 0
    var isUsed = false
    var kept: Duration?
    /// Then no job had requested it when it was lost.
    var wasKept = false
    /// Since when another process has been requesting the key.
    var wanted: Duration?
  }

  /// A request, granted or not, until it has ended.
  struct Sent: Sendable {
    let holding: Holding
    /// The lowest place of its jobs.
    var first: Place
  }

  enum Phase: Sendable {
    case without
    case asked(Holding, at: Duration)
    case held(Held)
  }

  let terms: Terms
  var phase = Phase.without
  /// Those that have not left; among them, those with other keys.
  package private(set) var jobs = 0
  private var jobsOfSets = 0
  /// Whether a submitted job has left since a job last got its turn: its turn may still last.
  private var hasLeftInTurn = false
  /// In order, until they have ended; the last one is that of the phase, if it has one.
  var sent: [Sent] = []
  /// The last place before each waiting caller of `drain`, in rising order.
  var drains: [Place] = []
  var failures = 0
  var failure: (any Error)?
  private var withdrawals = 0
  /// The minimum age of a request that counts as hanging.
  var patience = Duration.zero

  package init(_ terms: Terms) { self.terms = terms }

  package var held: Holding? { if case .held(let held) = phase { held.holding } else { nil } }

  package var isUnused: Bool { jobs == 0 && sent.isEmpty && drains.isEmpty }
}

// MARK: - Jobs

extension AccessState {
  package mutating func arrive(isOfSet: Bool = false) -> Ticket {
    jobs += 1
    if isOfSet { jobsOfSets += 1 }
    return Ticket(failures: failures, withdrawals: withdrawals, isOfSet: isOfSet)
  }

  package enum Next: Sendable {
    /// If the grant is lost, the jobs that requested it and have not run fail.
    case use(Holding, failsIfLost: Bool)
    case mustWait
    /// Call again when the request of the key is decided.
    case wait
    case ask(Holding)
    case failed(any Error)
  }

  /// Returns how a job that has the turn, and is not withdrawn, gets access; `mustWait` changes nothing.
  package mutating func next(
    _ ticket: Ticket, at place: Place, mayWait: Bool, now: Duration, new: @autoclosure () -> Holding
  ) -> Next {
    // The turns of earlier jobs are over.
    hasLeftInTurn = false
    if failures > ticket.failures { return .failed(failure!) }
    switch phase {
    case .without where !mayWait, .asked where !mayWait: return .mustWait
    case .without:
      let holding = new()
      phase = .asked(holding, at: now)
      sent.append(Sent(holding: holding, first: place))
      return .ask(holding)
    case .asked:
      noteUse(at: place)
      return .wait
    case .held(var held):
      noteUse(at: place)
      let failsIfLost = held.jobs == 0 && !held.wasKept
      held.jobs += 1
      held.isUsed = true
      held.kept = nil
      phase = .held(held)
      return .use(held.holding, failsIfLost: failsIfLost)
    }
  }

  private mutating func noteUse(at place: Place) { sent[sent.count - 1].first = min(sent.last!.first, place) }

  package func isWithdrawn(_ ticket: Ticket) -> Bool { withdrawals > ticket.withdrawals }

  /// Called when the job that uses access does not run, or not yet.
  package mutating func putBack(_ holding: Holding) {
    change(holding) {
      $0.isUsed = false
      $0.jobs -= 1
    }
  }

  /// Releases access after the last job of the grant, or if another process has waited for long enough.
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

  /// Called when a job's call returns, or a submitted job has ended or was rejected.
  package mutating func leave(_ ticket: Ticket, isSubmitted: Bool) {
    jobs -= 1
    if ticket.isOfSet { jobsOfSets -= 1 }
    if isSubmitted { hasLeftInTurn = true }
  }

  /// Returns whether the next job that uses access waits for no other key.
  package func hasNext(isPaused: Bool, hasTurn: @autoclosure () -> Bool) -> Bool {
    if jobs == 0 { return false }
    // Jobs of this key alone wait only for each other.
    if jobsOfSets == 0, !isPaused { return true }
    return !hasLeftInTurn && hasTurn()
  }

  /// Called when a job has left, or one with other keys has arrived: those between it and the last may be behind it.
  package mutating func rest(hasNext: Bool, mayKeep: Bool, at now: Duration) -> Ending {
    guard awaitsJob, !hasNext else { return .nothing }
    guard case .held(let held) = phase, mayKeep, held.wanted == nil, !isDrained, terms.keeping > .zero else {
      return end()
    }
    change(held.holding) {
      $0.kept = now
      $0.wasKept = true
    }
    return .nothing
  }

  package var awaitsJob: Bool {
    switch phase {
    case .without: false
    case .asked: true
    case .held(let held): !held.isUsed && held.kept == nil
    }
  }

  package mutating func withdraw() { withdrawals += 1 }
}
