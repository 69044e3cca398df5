import CoalescingTasks
import SerialTasksTesting

/// Something with waiters, which wait until it is opened.
struct Room: Sendable {
  typealias Job = @Sendable () async throws -> Void

  /// The kinds of rooms; each test gets a new one.
  enum Kind: CaseIterable {
    case serial, submitted, keyed, key, keySet, writes, reads, coalescer, flight, reloader, renewing
  }

  private let gate: Gate
  /// The task at the gate that all others wait behind, if there is one before the first of them comes.
  private let holder: Task<Void, any Error>?
  private let call: @Sendable (Int) async throws -> Void
  let waits: @Sendable (Int) async throws -> Void
  let count: @Sendable () -> Int

  private init(
    _ gate: Gate, behind holds: Job? = nil, waits: @escaping @Sendable (Int) async throws -> Void,
    count: @escaping @Sendable () -> Int, call: @escaping @Sendable (Int) async throws -> Void
  ) async {
    (self.gate, self.waits, self.count, self.call) = (gate, waits, count, call)
    holder = holds.map { holds in Task.immediate { try await holds() } }
    if holder != nil { await gate.arrived() }
  }

  /// A caller that has its place when this returns.
  func come(_ index: Int) -> Task<Void, any Error> { Task.immediate { try await call(index) } }

  func open() async throws {
    gate.open()
    try await holder?.value
  }

  static func make(_ kind: Kind) async -> Room {
    let gate = Gate()
    switch kind {
    case .serial, .submitted: return await line(gate, isSubmitted: kind == .submitted)
    case .keyed, .key, .keySet: return await keyed(gate, kind)
    case .writes, .reads: return await repository(gate, isRead: kind == .reads)
    case .coalescer, .flight: return await flights(gate, ofOneKey: kind == .flight)
    case .reloader:
      let screen = Reloader<Trigger, Int> { _ in
        await gate.pass()
        return 1
      } apply: { _ in
      }
      return await Room(gate, waits: { try await screen.waits(for: $0) }, count: { screen.snapshot.waiting }) { index in
        _ = try await screen.reload(Trigger.allCases[index % 3])
      }
    case .renewing:
      let token = RenewingValue<Int> { _ in
        await gate.pass()
        return Renewed(1, validFor: .seconds(60))
      }
      return await Room(gate, waits: { try await token.waits(for: $0) }, count: { token.snapshot.waiting }) { _ in
        _ = try await token.value()
      }
    }
  }

  private static func line(_ gate: Gate, isSubmitted: Bool) async -> Room {
    let line = SerialTaskExecutor()
    return await Room(
      gate, behind: { try await line.enqueue { await gate.pass() } }, waits: { try await line.waits(for: $0) },
      count: { line.snapshot.waiting }
    ) { index in
      if !isSubmitted { return try await line.enqueue {} }
      try await value(of: index.isMultiple(of: 2) ? line.submit {} : line.submitDetached {})
    }
  }

  private static func keyed(_ gate: Gate, _ kind: Kind) async -> Room {
    let bank = KeyedSerialTaskExecutor<Int>()
    return await Room(
      gate, behind: { try await bank.enqueue(for: 0) { await gate.pass() } },
      waits: { try await kind == .keyed ? bank.waits(for: $0) : bank.waits(for: $0, of: 0) },
      count: { kind == .keyed ? bank.snapshot.waiting : bank.snapshot(for: 0).waiting }
    ) { index in
      if kind == .keySet {
        try await bank.enqueue(forAll: [index + 1, 0]) {}
      } else {
        try await bank.enqueue(for: 0) {}
      }
    }
  }

  private static func repository(_ gate: Gate, isRead: Bool) async -> Room {
    let repository = CoalescingTaskExecutor<Int>()
    return await Room(
      gate, behind: { try await repository.write { await gate.pass() } },
      waits: { try await repository.waits(for: $0) },
      count: { repository.snapshot.waiting }
    ) { index in
      if isRead { return try await repository.read(index) {} }
      if index % 3 == 2 { return try await repository.write {} }
      try await value(of: repository.submitWrite(latest: index, touching: [[0], [0, 1]][index % 3]) {})
    }
  }

  private static func flights(_ gate: Gate, ofOneKey: Bool) async -> Room {
    let profiles = TaskCoalescer<Int, Int>()
    return await Room(
      gate, waits: { try await ofOneKey ? profiles.waits(for: $0, of: 0) : profiles.waits(for: $0) },
      count: { profiles.snapshot.waiting }
    ) { index in
      if ofOneKey, index == 1 { profiles.invalidate(0) }
      _ = try await profiles.value(for: ofOneKey ? 0 : index / 2) {
        await gate.pass()
        return 1
      }
    }
  }

  /// Waits for a job, which is cancelled with its caller.
  private static func value(of job: SubmittedJob<Void>) async throws {
    try await withTaskCancellationHandler {
      try await job.value
    } onCancel: {
      job.cancel()
    }
  }
}

private enum Trigger: ReloadReason, CaseIterable {
  case join, rerun, supersede

  var policy: ReloadPolicy { self == .join ? .join : self == .rerun ? .rerun : .supersede }
}
