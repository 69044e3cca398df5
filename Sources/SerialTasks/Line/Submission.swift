/// The waiter of a submitted job, together with what those who hold its handle wait for.
///
/// This part knows nothing of the job's types, so it is compiled once; ``TypedSubmission`` adds the result.
@usableFromInline
package class Submission: Waiter, @unchecked Sendable {
  // Safe because what `Waiter` does not already guard is behind `outcome`.

  @usableFromInline final let line: Line
  /// Whoever lent the line for this job; `nil` if it is nobody's but its executor's.
  @usableFromInline final let owner: LineOwner?
  private final let outcome = Lock(Outcome())

  private struct Outcome: Sendable {
    var isSettled = false
    /// Most jobs have none, and a million of them wait at once.
    var followers: Followers?

    mutating func follow() -> Followers {
      if let followers { return followers }
      let first = Followers()
      followers = first
      return first
    }
  }

  /// Those who want to be told when the job is settled.
  private final class Followers: @unchecked Sendable {
    // Safe because it is reached only under the lock of the outcome that it belongs to.
    var observers: [@Sendable () -> Void] = []
    var waiters = WaiterList()
  }

  @usableFromInline
  init(line: Line, owner: LineOwner?, name: String?, priority: TaskPriority) {
    self.line = line
    self.owner = owner
    super.init(name: name, isSubmitted: true, priority: priority.rawValue)
  }

  /// Runs a detached job in its turn, and settles.
  package nonisolated(nonsending) func perform() async {
    preconditionFailure("only a detached job is run by whoever has a task for it")
  }
}

extension Submission {
  /// Whether there is a result to be read.
  @usableFromInline
  final var isSettled: Bool { outcome.withLock { $0.isSettled } }

  /// Publishes the result and tells those who wait for it, outside every lock.
  @usableFromInline
  final func publish() {
    let (observers, wake) = outcome.withLock { outcome -> ([@Sendable () -> Void], Wake) in
      outcome.isSettled = true
      guard let followers = outcome.followers.take() else { return ([], Wake.nobody) }
      var wake = Wake.nobody
      followers.waiters.removeAll { waiter in
        waiter.state = .granted
        wake.add(waiter)
      }
      return (followers.observers, wake)
    }
    for observer in observers { observer() }
    wake.carryOut()
  }

  /// Calls the observer when the job is settled, or now if it is.
  @usableFromInline
  final func observe(_ observer: @escaping @Sendable () -> Void) {
    let isSettled = outcome.withLock { outcome in
      if !outcome.isSettled { outcome.follow().observers.append(observer) }
      return outcome.isSettled
    }
    if isSettled { observer() }
  }

  /// Cancels the job.
  ///
  /// Those who hold its handle may still be told of that when its task has ended, so the line is held until they are.
  final func cancel() {
    let isHeld = owner?.hold(for: self) ?? false
    line.cancel(self)
    if isHeld { owner?.release(line) }
  }

  /// The job's task is done with the line, or was never made.
  @usableFromInline
  final func leave() { owner?.release(from: self) }

  /// Waits until the job is settled.
  ///
  /// - Returns: Why the caller did not wait for that, if it did not.
  @usableFromInline
  nonisolated(nonsending) final func settled() async -> JobRejection? {
    if isSettled { return nil }
    let observer = Waiter()
    var mustWait = false
    let register = {
      mustWait = self.outcome.withLock { outcome in
        if !outcome.isSettled { outcome.follow().waiters.append(observer) }
        return !outcome.isSettled
      }
      return mustWait
    }
    if HeldTurn.innermost != nil, let label {
      let wait = Wait(for: label) { self.blockers(of: observer) }
      if let deadlock = WaitGraph.begin(wait, join: register) { return .deadlock(deadlock) }
      if mustWait { observer.wait = wait }
    } else {
      _ = register()
    }
    guard mustWait else { return nil }
    line.raise(self, to: Task.currentPriority.rawValue)
    await Suspension.park(leave: { self.leave(observer) }, register: { self.park(observer, $0) })
    if let wait = observer.wait.take() { WaitGraph.end(wait) }
    return outcome.withLock { _ in observer.rejection }
  }

  /// What a deadlock calls the line; `nil` if the job does not use it any more.
  private final var label: String? {
    guard let owner else { return line.label }
    guard owner.hold(for: self) else { return nil }
    defer { owner.release(line) }
    return line.label
  }

  /// Whoever holds a turn of the line stands in front of the job, or is the job.
  private final func blockers(of observer: Waiter) -> Blockers {
    if line.isRejected(self) { return .nobody }
    let blockers = line.blockers(of: nil)
    // Asked afterwards: a job that is not settled has not given its line back.
    return outcome.withLock { $0.isSettled || !observer.isWaiting } ? .nobody : blockers
  }

  private final func park(_ observer: Waiter, _ suspension: Suspension) -> Bool {
    outcome.withLock { _ in
      guard observer.isWaiting else { return false }
      observer.suspension = suspension
      return true
    }
  }

  private final func leave(_ observer: Waiter) {
    let suspension = outcome.withLock { outcome -> Suspension? in
      guard observer.isWaiting else { return nil }
      outcome.followers?.waiters.remove(observer)
      observer.state = .rejected(.cancelled)
      return observer.takeSuspension()
    }
    suspension?.resume()
  }
}
