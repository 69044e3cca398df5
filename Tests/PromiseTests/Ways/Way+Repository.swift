import CoalescingTasks
import SerialTasksTesting

extension Way {
  /// The ways of `CoalescingTaskExecutor`.
  static let repository: [Way] = [
    .call("write", makeRepository, .isWhole) { subject, work in
      try await subject.write(name: work.name) { try await work.run() }
    },
    .call("write(waitingAtMost:)", makeRepository, [.isLimited, .isWhole]) { subject, work in
      try await subject.write(name: work.name, waitingAtMost: work.limit) { try await work.run() }
    },
    .call("write(rejectedAs:)", makeRepository, [.isTyped, .isWhole]) { subject, work in
      try await subject.write(name: work.name, rejectedAs: { .rejected($0) }) { () throws(WorkError) in
        try await work.run()
      }
    },
    .call("write(waitingAtMost:rejectedAs:)", makeRepository, [.isTyped, .isLimited, .isWhole]) { subject, work in
      try await subject.write(name: work.name, waitingAtMost: work.limit, rejectedAs: { .rejected($0) }) {
        () throws(WorkError) in try await work.run()
      }
    },
    .call("write(touching:)", makeRepository) { subject, work in
      try await subject.write(touching: manyKeys, name: work.name) { try await work.run() }
    },
    .call("write(touching:waitingAtMost:)", makeRepository, .isLimited) { subject, work in
      try await subject.write(touching: manyKeys, name: work.name, waitingAtMost: work.limit) { try await work.run() }
    },
    .call("write(touching:rejectedAs:)", makeRepository, .isTyped) { subject, work in
      try await subject.write(touching: manyKeys, name: work.name, rejectedAs: { .rejected($0) }) {
        () throws(WorkError) in try await work.run()
      }
    },
    .call("write(touching:waitingAtMost:rejectedAs:)", makeRepository, [.isTyped, .isLimited]) { subject, work in
      try await subject.write(
        touching: manyKeys, name: work.name, waitingAtMost: work.limit, rejectedAs: { .rejected($0) }
      ) { () throws(WorkError) in try await work.run() }
    },
    .call("read(_:)", makeRepository, .isShared) { subject, work in
      try await subject.read("k", name: work.name, priority: work.priority, work.job)
    },
    .call("read(_:waitingAtMost:)", makeRepository, [.isShared, .isLimited]) { subject, work in
      try await subject.read("k", name: work.name, priority: work.priority, waitingAtMost: work.limit, work.job)
    },
    .call("read(_:rejectedAs:)", makeRepository, [.isShared, .isTyped]) { subject, work in
      try await subject.read("k", name: work.name, priority: work.priority, rejectedAs: { .rejected($0) }, work.job)
    },
    .call("read(_:waitingAtMost:rejectedAs:)", makeRepository, [.isShared, .isTyped, .isLimited]) { subject, work in
      try await subject.read(
        "k", name: work.name, priority: work.priority, waitingAtMost: work.limit, rejectedAs: { .rejected($0) },
        work.job)
    },
    .submission("submitRead(_:)", makeRepository, .isShared) { subject, work in
      subject.submitRead("k", name: work.name, priority: work.priority, work.job)
    },
    .submission("submitWrite", makeRepository, .isWhole) { subject, work in
      subject.submitWrite(name: work.name, priority: work.priority, work.job)
    },
    .submission("submitWrite(touching:)", makeRepository) { subject, work in
      subject.submitWrite(touching: manyKeys, name: work.name, priority: work.priority, work.job)
    },
    .submission("submitWrite(latest:touching:)", makeRepository, .isLatest) { subject, work in
      subject.submitWrite(
        latest: "draft", touching: ["k"], after: work.after, name: work.name, priority: work.priority, work.job)
    },
  ]

  private static func makeRepository(_ settings: Settings) -> CoalescingTaskExecutor<String> {
    CoalescingTaskExecutor(
      name: settings.name, capacity: settings.capacity, maximumConcurrentReads: settings.slots,
      reportsTurnsLongerThan: settings.turnLimit, clock: settings.clock, onEvent: settings.onEvent)
  }
}
