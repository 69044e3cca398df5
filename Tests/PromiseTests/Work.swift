import SerialTasksFenced
import SerialTasksTesting
import TestWatch

/// What a cell of the table hands in.
struct Work: Sendable {
  var name: String?
  var priority: TaskPriority?
  /// For the ways that take a limit.
  var limit = Duration.seconds(3_600)
  /// How long it waits for a newer one, for the ways that replace.
  var after: Duration?
  /// Called where a call's job begins, before `job` is: on the caller's actor.
  var begins: @Sendable () -> Void = {}
  var job: @Sendable @isolated(any) () async throws(WorkError) -> Int

  init(
    name: String? = nil, priority: TaskPriority? = nil,
    _ job: @escaping @Sendable @isolated(any) () async throws(WorkError) -> Int
  ) {
    self.name = name
    self.priority = priority
    self.job = job
  }

  /// The same, but not before the condition holds.
  func beginning(when isReady: @escaping @Sendable () -> Bool) -> Work {
    Work(name: name, priority: priority) { [job] () throws(WorkError) in
      while !isReady() { await Task.yield() }
      return try await job()
    }
  }

  /// The job of a call.
  nonisolated(nonsending) func run() async throws(WorkError) -> Int {
    begins()
    return try await job()
  }
}

/// What jobs throw, and what typed ways make of a rejection.
enum WorkError: Error {
  final class Instance: Sendable {}

  case own(Instance)
  case rejected(JobRejection)
  case noAccess
}

/// How work ended, whichever way it was handed in.
enum Outcome: Equatable, Sendable {
  case value(Int)
  case failed(ObjectIdentifier)
  case rejected(JobRejection)
  /// An error that this way must not throw.
  case stray(String)

  init(_ result: Result<Int, some Error>, isTyped: Bool) {
    switch result {
    case .success(let value): self = .value(value)
    case .failure(let error): self = Self(error, isTyped: isTyped)
    }
  }

  private init(_ error: any Error, isTyped: Bool) {
    switch error {
    case WorkError.own(let instance): self = .failed(ObjectIdentifier(instance))
    case WorkError.rejected(let why) where isTyped: self = .rejected(why)
    case let why as JobRejection where !isTyped && why != .cancelled: self = .rejected(why)
    case is CancellationError where !isTyped: self = .rejected(.cancelled)
    default: self = .stray("\(error)")
    }
  }
}

/// A handle of submitted work.
struct Handle: Sendable {
  let value: @Sendable () async throws -> Int
  var result: @Sendable () async -> Outcome
  var whenComplete: @Sendable (@escaping @Sendable (Outcome) -> Void) -> Void
  var whenCompleteOnMainActor: @Sendable (@escaping @Sendable @MainActor (Outcome) -> Void) -> Void
  var cancel: @Sendable () -> Void
  var isCancelled: @Sendable () -> Bool

  init(_ job: SubmittedJob<Int>) {
    value = { try await job.value }
    result = { Outcome(await job.result, isTyped: false) }
    whenComplete = { handler in job.whenComplete { handler(Outcome($0, isTyped: false)) } }
    whenCompleteOnMainActor = { handler in
      job.whenComplete(on: MainActor.self) { handler(Outcome($0, isTyped: false)) }
    }
    cancel = { job.cancel() }
    isCancelled = { job.isCancelled }
  }
}

/// Work that was handed in.
struct Pending: Sendable {
  let outcome: @Sendable () async -> Outcome
  let cancel: @Sendable () -> Void
  /// What its handle says, if it has one.
  var isCancelled: @Sendable () -> Bool? = { nil }
}
