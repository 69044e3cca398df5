/// A submitted job, and the waiters of its handles; without the job's types, and so compiled once.
@usableFromInline
package class Submission: Job, @unchecked Sendable {
  // Safe because `outcome` protects what `Job` does not.

  @usableFromInline final let line: Line
  private final let outcome = Lock(Outcome.awaited)

  /// Eight bytes: a million jobs may wait at once, and most have no followers.
  private enum Outcome {
    case awaited
    case followed(Followers)
    case settled

    var isSettled: Bool { if case .settled = self { true } else { false } }

    mutating func follow() -> Followers? {
      if isSettled { return nil }
      if case .followed(let followers) = self { return followers }
      let followers = Followers()
      self = .followed(followers)
      return followers
    }
  }

  private final class Followers {
    // Safe because it is accessed only under the lock of its outcome.
    var observers: [@Sendable () -> Void] = []
    var waiters = WaiterList()
  }

  @usableFromInline
  init(_ kind: Waiter.Kind = .submitted, line: Line, name: String?, priority: TaskPriority) {
    self.line = line
    super.init(kind, name: name, priority: priority.rawValue)
  }

  /// The job in the line with which it ends.
  @usableFromInline package var standIn: Job { self }

  @usableFromInline final var resourceLabel: String { named(line.label(touching: standIn)) }

  private final func named(_ label: String) -> String { name.map { "\($0) in \(label)" } ?? label }

  package func cancel() { line.cancel(self) }

  @usableFromInline
  package func blockersOfEnd() -> Blockers {
    let job = standIn
    return line.locked { $0.blockers(ofEndOf: job) }
  }

  /// For `potentialDeadlocks`.
  var stakeOfEnd: Stake? { line.stake(ofJob: standIn) }

  @usableFromInline
  package final func stake(of observer: Caller) -> Stake? {
    var stake = stakeOfEnd
    stake?.job = name
    return stake
  }

  @usableFromInline
  package final func meeting(of observer: Caller, with turn: WaitNode) -> Meeting {
    let job = standIn
    // The job's own turn is already named.
    if line.locked({ _ in !job.isWaiting }) { return Meeting() }
    let meeting = line.meeting(of: job, with: turn)
    return Meeting {
      var names = meeting.names()
      if let first = names.first { names[0] = self.named(first) }
      return names
    }
  }

  @usableFromInline
  package final func blockers(of observer: Caller) -> Blockers {
    let blockers = blockersOfEnd()
    // Read last: a job that is not settled has not ended its turn.
    return outcome.withLock { $0.isSettled || !observer.isWaiting } ? .none : blockers
  }

  @usableFromInline package typealias Body = nonisolated(nonsending) @Sendable (Submission) async -> Void

  var body: Body { preconditionFailure("only a detached job is run in a task that was found for it") }

  package var end: TaskEvent.Kind { preconditionFailure("only a detached job is run in a task that was found for it") }
}

extension Submission {
  /// Called outside every lock.
  @usableFromInline
  final func publish() {
    let (observers, resumed) = outcome.withLock { outcome -> ([@Sendable () -> Void], Few<Suspension>) in
      var resumed = Few<Suspension>.none
      defer { outcome = .settled }
      guard case .followed(let followers) = outcome else { return ([], resumed) }
      followers.waiters.removeAll { waiter in
        waiter.grant()
        resumed.append(waiter: waiter)
      }
      return (followers.observers, resumed)
    }
    for observer in observers { observer() }
    resumed.resumeAll()
  }

  @usableFromInline
  package final func observe(_ observer: @escaping @Sendable () -> Void) {
    let isSettled = outcome.withLock { outcome in
      outcome.follow()?.observers.append(observer)
      return outcome.isSettled
    }
    if isSettled { observer() }
  }

  /// Calls a handler of the settled job; callers of `drain` wait for that.
  @_alwaysEmitIntoClient @inline(never)
  final func callOnMainActor(_ handler: @escaping @Sendable @MainActor () -> Void) {
    let (line, job) = (line, standIn)
    let place = line.locked { $0.beginCall(of: job) }
    MainActorCalls.make {
      handler()
      line.carryOut { $0.endCall(at: place, &$1) }
    }
  }

  @_alwaysEmitIntoClient nonisolated(nonsending) final func settled() async -> JobRejection? {
    guard let observer = observer() else { return nil }
    switch admit(observer, label: resourceLabel, { follow(observer) ? .waiting(ahead: 0) : .granted }) {
    case .granted: return nil
    case .rejected(let why): return why
    case .waiting:
      // Neither the job nor those ahead of it should run at a lower priority.
      line.escalate(standIn, to: Task.currentPriority.rawValue)
      await wait(observer)
      return rejection(of: observer)
    }
  }

  /// Returns `nil` if there is no need to wait; under `potentialDeadlocks`, awaiting a job that has ended is also a request.
  @usableFromInline final func observer() -> Caller? {
    outcome.withLock { $0.isSettled } && !OrderHook.isSet ? nil : Caller()
  }

  /// Not inlined: see ``Lock``.
  @usableFromInline @inline(never)
  final func rejection(of observer: Caller) -> JobRejection? { outcome.withLock { _ in observer.rejection } }

  @usableFromInline final func follow(_ observer: Caller) -> Bool {
    outcome.withLock { outcome in
      outcome.follow()?.waiters.append(observer)
      return !outcome.isSettled
    }
  }
}

extension Submission: WaitingRoom {
  @usableFromInline
  package final func park(_ observer: Caller, _ suspension: Suspension) -> Bool {
    outcome.withLock { _ in observer.park(suspension) }
  }

  @usableFromInline
  package final func leave(_ observer: Caller, _ why: JobRejection) {
    let suspension = outcome.withLock { outcome -> Suspension? in
      guard observer.isWaiting else { return nil }
      if case .followed(let followers) = outcome { followers.waiters.remove(observer) }
      observer.reject(why)
      return observer.takeSuspension()
    }
    suspension?.resume()
  }
}
