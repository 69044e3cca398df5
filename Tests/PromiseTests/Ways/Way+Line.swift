import SerialTasks
import SerialTasksTesting

extension Way {
  /// The ways of `SerialTaskExecutor`.
  static let line: [Way] = [
    .call("enqueue", makeExecutor) { subject, work in
      try await subject.enqueue(name: work.name) { try await work.run() }
    },
    .call("enqueue(waitingAtMost:)", makeExecutor, .isLimited) { subject, work in
      try await subject.enqueue(name: work.name, waitingAtMost: work.limit) { try await work.run() }
    },
    .call("enqueue(rejectedAs:)", makeExecutor, .isTyped) { subject, work in
      try await subject.enqueue(name: work.name, rejectedAs: { .rejected($0) }) { () throws(WorkError) in
        try await work.run()
      }
    },
    .call("enqueue(waitingAtMost:rejectedAs:)", makeExecutor, [.isTyped, .isLimited]) { subject, work in
      try await subject.enqueue(name: work.name, waitingAtMost: work.limit, rejectedAs: { .rejected($0) }) {
        () throws(WorkError) in try await work.run()
      }
    },
    .submission("submit", makeExecutor) { subject, work in
      subject.submit(name: work.name, priority: work.priority, work.job)
    },
    .submission("submitDetached", makeExecutor, .isDetached) { subject, work in
      subject.submitDetached(name: work.name, priority: work.priority, work.job)
    },
  ]

  private static func makeExecutor(_ settings: Settings) -> SerialTaskExecutor {
    SerialTaskExecutor(
      name: settings.name, capacity: settings.capacity, reportsTurnsLongerThan: settings.turnLimit,
      clock: settings.clock,
      onEvent: settings.onEvent)
  }
}
