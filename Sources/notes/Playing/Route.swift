import SerialTasks

/// What is known of a call once it has run.
struct Execution: Sendable {
  let started: Duration
  let finished: Duration
  let outcome: Outcome
}

/// The way a call takes to the repository.
///
/// Adding one is a type and a name for it; who plays, checks and draws does not change.
protocol Route: Sendable {
  /// What the route is called in titles.
  var title: String { get }

  /// Asks for the call to be made, and returns without waiting for it.
  ///
  /// All calls of a run are asked for by one task, in the order of their places.
  ///
  /// - Parameters:
  ///   - call: What is asked for; a route may treat reads unlike writes.
  ///   - execute: Makes the call.
  /// - Returns: How to wait for what became of it.
  func ask(_ call: Call, _ execute: @escaping @Sendable () async -> Execution) -> PendingCall
}

/// A call that was asked for.
struct PendingCall: Sendable {
  /// Waits for the call; a failure means that it never ran.
  let ended: @Sendable () async -> Result<Execution, JobRejection>
}

/// Straight to the actor: each call in a task of its own, as from seven buttons.
struct PlainRoute: Route {
  let title = "a plain actor"

  func ask(_ call: Call, _ execute: @escaping @Sendable () async -> Execution) -> PendingCall {
    let task = Task(name: call.label) { await execute() }
    return PendingCall { .success(await task.value) }
  }
}

/// Through one line: each call has its place when `ask` returns.
struct SerialRoute: Route {
  let title = "SerialTaskExecutor"
  private let executor = SerialTaskExecutor(name: "notes")

  func ask(_ call: Call, _ execute: @escaping @Sendable () async -> Execution) -> PendingCall {
    let job = executor.submit(name: call.label, rejectedAs: { $0 }) { () async throws(JobRejection) in
      await execute()
    }
    return PendingCall { await job.result }
  }
}
