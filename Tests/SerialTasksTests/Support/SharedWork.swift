import CoalescingTasks

/// A type whose callers share one operation.
enum SharedKind: CaseIterable, Sendable { case flight, read, load, renewal }

/// One operation of one of those types, which callers start or join.
struct SharedWork: Sendable {
  let ask: @Sendable () async throws -> Int
  /// Asks as synchronous code does, and is told when that has ended.
  let start: @Sendable (@escaping @Sendable () -> Void) -> Void
  let owner: any Drainable & AnyObject

  /// A value that is renewed is valid for so long.
  init(
    _ kind: SharedKind, clock: ManualClock = ManualClock(), validFor validity: Duration = .zero,
    onEvent: (@Sendable (TaskEvent) -> Void)? = nil, _ operation: @escaping @Sendable () async throws -> Int
  ) {
    switch kind {
    case .flight:
      let coalescer = TaskCoalescer<Int, Int>(name: "flights", clock: clock, onEvent: onEvent)
      ask = { try await coalescer.value(for: 7, operation) }
      start = { done in coalescer.value(for: 7, operation) { _ in done() } }
      owner = coalescer
    case .read:
      let repository = CoalescingTaskExecutor<Int>(name: "reads", clock: clock, onEvent: onEvent)
      ask = { try await repository.read(7, operation) }
      start = { done in repository.submitRead(7, operation).whenComplete { _ in done() } }
      owner = repository
    case .load:
      let reloader = Reloader<Trigger, Int>(
        name: "loads", clock: clock, load: { _ in try await operation() }, apply: { _ in }, onEvent: onEvent)
      ask = { try await reloader.reload(.appear) }
      start = { done in
        reloader.request(.appear)
        done()
      }
      owner = reloader
    case .renewal:
      let value = RenewingValue<Int>(name: "renewals", clock: clock) { _ in
        Renewed(try await operation(), validFor: validity)
      } onEvent: {
        onEvent?($0)
      }
      ask = { try await value.value() }
      start = { done in value.value { _ in done() } }
      owner = value
    }
  }
}
