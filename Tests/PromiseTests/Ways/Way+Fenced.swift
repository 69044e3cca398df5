import SerialTasksFenced
import SerialTasksTesting

extension Way {
  /// The ways of `FencedSerialTaskExecutor`, with an engine that grants at once unless a cell has a gate for it.
  static let fenced: [Way] = [
    .call("enqueue(for:)", makeFenced) { subject, work in
      try await subject.enqueue(for: "k", name: work.name) { _ in try await work.run() }
    },
    .call("enqueue(for:waitingAtMost:)", makeFenced, .isLimited) { subject, work in
      try await subject.enqueue(for: "k", name: work.name, waitingAtMost: work.limit) { _ in try await work.run() }
    },
    .call("enqueue(for:rejectedAs:)", makeFenced, .isTyped) { subject, work in
      try await subject.enqueue(for: "k", name: work.name, rejectedAs: { WorkError($0) }) { (_) throws(WorkError) in
        try await work.run()
      }
    },
    .call("enqueue(for:waitingAtMost:rejectedAs:)", makeFenced, [.isTyped, .isLimited]) { subject, work in
      try await subject.enqueue(for: "k", name: work.name, waitingAtMost: work.limit, rejectedAs: { WorkError($0) }) {
        (_) throws(WorkError) in try await work.run()
      }
    },
    .submission("submit(for:)", makeFenced) { subject, work in
      subject.submit(for: "k", name: work.name, priority: work.priority) { _ in try await work.job() }
    },
    .call("enqueue(touching:)", makeFenced) { subject, work in
      try await subject.enqueue(touching: ["l", "k"], name: work.name) { _ in try await work.run() }
    },
    .call("enqueue(touching:waitingAtMost:)", makeFenced, .isLimited) { subject, work in
      try await subject.enqueue(touching: ["l", "k"], name: work.name, waitingAtMost: work.limit) { _ in
        try await work.run()
      }
    },
    .call("enqueue(touching:rejectedAs:)", makeFenced, .isTyped) { subject, work in
      try await subject.enqueue(touching: ["l", "k"], name: work.name, rejectedAs: { WorkError($0) }) {
        (_) throws(WorkError) in try await work.run()
      }
    },
    .call("enqueue(touching:waitingAtMost:rejectedAs:)", makeFenced, [.isTyped, .isLimited]) { subject, work in
      try await subject.enqueue(
        touching: ["l", "k"], name: work.name, waitingAtMost: work.limit, rejectedAs: { WorkError($0) }
      ) { (_) throws(WorkError) in try await work.run() }
    },
    .submission("submit(touching:)", makeFenced) { subject, work in
      subject.submit(touching: ["l", "k"], name: work.name, priority: work.priority) { _ in try await work.job() }
    },
  ]

  private static func makeFenced(_ settings: Settings) -> FencedSerialTaskExecutor<String> {
    FencedSerialTaskExecutor(
      name: settings.name, access: GrantedBehindAGate(gate: settings.access),
      capacity: settings.isCapacityPerKey ? nil : settings.capacity,
      capacityPerKey: settings.isCapacityPerKey ? settings.capacity : nil, clock: settings.clock,
      onEvent: settings.onEvent)
  }
}

/// Grants access when the gate is open, or at once if there is none, with a number that rises.
struct GrantedBehindAGate: ExclusiveAccess {
  let gate: Box<Gate?>
  private static let numbers = Lock<UInt64>(0)

  nonisolated(nonsending) func withAccess(
    to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws {
    await gate.value?.pass()
    let number = Self.numbers.withLock {
      $0 += 1
      return $0
    }
    try await Fence.lend(number: number, check: {}, to: turn)
  }
}

extension WorkError {
  init(_ rejection: FencedRejection) {
    switch rejection {
    case .rejected(let why): self = .rejected(why)
    case .noAccess: self = .noAccess
    }
  }
}
