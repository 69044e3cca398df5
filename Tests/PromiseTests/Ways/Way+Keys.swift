import SerialTasks
import SerialTasksTesting

extension Way {
  /// The ways of `KeyedSerialTaskExecutor`.
  static let keys: [Way] = [
    .call("enqueue(for:)", makeKeyed) { subject, work in
      try await subject.enqueue(for: "k", name: work.name) { try await work.run() }
    },
    .call("enqueue(for:waitingAtMost:)", makeKeyed, .isLimited) { subject, work in
      try await subject.enqueue(for: "k", name: work.name, waitingAtMost: work.limit) { try await work.run() }
    },
    .call("enqueue(for:rejectedAs:)", makeKeyed, .isTyped) { subject, work in
      try await subject.enqueue(for: "k", name: work.name, rejectedAs: { .rejected($0) }) { () throws(WorkError) in
        try await work.run()
      }
    },
    .call("enqueue(for:waitingAtMost:rejectedAs:)", makeKeyed, [.isTyped, .isLimited]) { subject, work in
      try await subject.enqueue(for: "k", name: work.name, waitingAtMost: work.limit, rejectedAs: { .rejected($0) }) {
        () throws(WorkError) in try await work.run()
      }
    },
    .call("enqueue(touching:)", makeKeyed) { subject, work in
      try await subject.enqueue(touching: manyKeys, name: work.name) { try await work.run() }
    },
    .call("enqueue(touching:waitingAtMost:)", makeKeyed, .isLimited) { subject, work in
      try await subject.enqueue(touching: manyKeys, name: work.name, waitingAtMost: work.limit) { try await work.run() }
    },
    .call("enqueue(touching:rejectedAs:)", makeKeyed, .isTyped) { subject, work in
      try await subject.enqueue(touching: manyKeys, name: work.name, rejectedAs: { .rejected($0) }) {
        () throws(WorkError) in try await work.run()
      }
    },
    .call("enqueue(touching:waitingAtMost:rejectedAs:)", makeKeyed, [.isTyped, .isLimited]) { subject, work in
      try await subject.enqueue(
        touching: manyKeys, name: work.name, waitingAtMost: work.limit, rejectedAs: { .rejected($0) }
      ) { () throws(WorkError) in try await work.run() }
    },
    .submission("submit(for:)", makeKeyed) { subject, work in
      subject.submit(for: "k", name: work.name, priority: work.priority, work.job)
    },
    .submission("submit(touching:)", makeKeyed) { subject, work in
      subject.submit(touching: manyKeys, name: work.name, priority: work.priority, work.job)
    },
    .submission("submitDetached(for:)", makeKeyed, .isDetached) { subject, work in
      subject.submitDetached(for: "k", name: work.name, priority: work.priority, work.job)
    },
  ]

  /// The key of all work, and others: so many that they are sorted, and some of them twice.
  static let manyKeys = ["l", "m", "n", "o", "p", "q", "r", "s", "t", "k", "l", "k"]

  private static func makeKeyed(_ settings: Settings) -> KeyedSerialTaskExecutor<String> {
    KeyedSerialTaskExecutor(
      name: settings.name, capacity: settings.isCapacityPerKey ? nil : settings.capacity,
      capacityPerKey: settings.isCapacityPerKey ? settings.capacity : nil, maximumConcurrentJobs: settings.slots,
      reportsTurnsLongerThan: settings.turnLimit, clock: settings.clock, onEvent: settings.onEvent)
  }
}
