import CoalescingTasks
import SerialTasksTesting

extension Way {
  /// The ways of `TaskCoalescer`, `Reloader` and `RenewingValue`.
  static let shared: [Way] = [
    .call("value(for:)", makeCoalescer) { subject, work in
      try await subject.value(for: "k", name: work.name, priority: work.priority, work.job)
    },
    .call("answer(for:)", makeCoalescer) { subject, work in
      try await subject.answer(for: "k", name: work.name, priority: work.priority, work.job).value
    },
    .call("value(for:policy: .rerun)", makeCoalescer, .follows) { subject, work in
      try await subject.value(for: "k", policy: .rerun, name: work.name, priority: work.priority, work.job)
    },
    .call("value(for:policy: .supersede)", makeCoalescer, .replaces) { subject, work in
      try await subject.value(for: "k", policy: .supersede, name: work.name, priority: work.priority, work.job)
    },
    .call("value(for:completion:)", makeCoalescer, .cannotLeave) { subject, work in
      try await withCheckedThrowingContinuation { continuation in
        subject.value(for: "k", name: work.name, priority: work.priority, work.job) { continuation.resume(with: $0) }
      }
    },
    .call("prefetch(_:expiresAfter:)", makeCoalescer, .isStartedAhead) { subject, work in
      subject.prefetch(
        "k", expiresAfter: Duration(attoseconds: .max), name: work.name, priority: work.priority, work.job)
      return try await subject.value(for: "k", name: work.name, priority: work.priority, work.job)
    },
    .call("reload(_:)", makeReloader) { subject, work in
      subject.box.put(work)
      return try await subject.subject.reload(.join)
    },
    .call("reload(.rerun)", makeReloader, .follows) { subject, work in
      subject.box.put(work)
      return try await subject.subject.reload(.rerun)
    },
    .call("reload(.supersede)", makeReloader, .replaces) { subject, work in
      subject.box.put(work)
      return try await subject.subject.reload(.supersede)
    },
    .call("request(_:)", makeReloader, .isStartedAhead) { subject, work in
      // Else the load may have ended when its caller comes, who then has another one.
      let hasCome = Gate()
      defer { hasCome.open() }
      subject.box.put(
        work.beginning { [weak subject] in hasCome.isOpen || subject.map { $0.counts.waiting > 0 } ?? true })
      subject.subject.request(.join)
      return try await subject.subject.reload(.join)
    },
    .call("value()", makeRenewing) { subject, work in
      subject.box.put(work)
      return try await subject.subject.value()
    },
    .call("value(policy: .rerun)", makeRenewing, .follows) { subject, work in
      subject.box.put(work)
      return try await subject.subject.value(policy: .rerun)
    },
    .call("value(policy: .supersede)", makeRenewing, .replaces) { subject, work in
      subject.box.put(work)
      return try await subject.subject.value(policy: .supersede)
    },
    .call("value(completion:)", makeRenewing, .cannotLeave) { subject, work in
      subject.box.put(work)
      return try await withCheckedThrowingContinuation { continuation in
        subject.subject.value { continuation.resume(with: $0) }
      }
    },
    .call("value(insteadOf:)", makeRenewing) { subject, work in
      subject.box.put(work)
      return try await subject.subject.value(insteadOf: -1)
    },
    .call("value(insteadOf:completion:)", makeRenewing, .cannotLeave) { subject, work in
      subject.box.put(work)
      return try await withCheckedThrowingContinuation { continuation in
        subject.subject.value(insteadOf: -1) { continuation.resume(with: $0) }
      }
    },
  ]

  private static func makeCoalescer(_ settings: Settings) -> TaskCoalescer<String, Int> {
    TaskCoalescer(
      name: settings.name, clock: settings.clock, onEvent: settings.onEvent)
  }

  private static func makeReloader(_ settings: Settings) -> Operated<Reloader<Trigger, Int>> {
    Operated { box in
      Reloader(
        name: settings.name, clock: settings.clock,
        load: { _ in try await box.run() }, apply: { _ in }, onEvent: settings.onEvent)
    }
  }

  private static func makeRenewing(_ settings: Settings) -> Operated<RenewingValue<Int>> {
    Operated { box in
      RenewingValue(
        name: settings.name, clock: settings.clock,
        renew: { _ in Renewed(try await box.run(), validFor: .seconds(60)) }, onEvent: settings.onEvent)
    }
  }
}
