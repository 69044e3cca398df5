// The blocks of README.md, letter for letter; ReadmeTests runs them.
import SerialTasks

enum Before {
  actor Notebook {
    let upload: @Sendable ([String]) async throws -> Void
    var notes: [String] = []

    init(upload: @escaping @Sendable ([String]) async throws -> Void) {
      self.upload = upload
    }

    func append(_ note: String) async throws {
      let changed = notes + [note]
      try await upload(changed)  // meanwhile the actor lets others in …
      notes = changed  // … and the last call overwrites what they added
    }
  }
}

enum After {
  actor Notebook {
    let upload: @Sendable ([String]) async throws -> Void
    let line = SerialTaskExecutor(name: "notebook")
    var notes: [String] = []

    init(upload: @escaping @Sendable ([String]) async throws -> Void) {
      self.upload = upload
    }

    func append(_ note: String) async throws {
      try await line.enqueue {
        let changed = notes + [note]
        try await upload(changed)  // no other job starts before this one ended
        notes = changed  // still isolated to the actor: no hop, no lock
      }
    }
  }
}

enum ReadmeUse {
  static func merging(_ api: API, _ log: Log) async throws {
    @Sendable func print(_ text: String) { log(text) }
    let accounts = KeyedSerialTaskExecutor<String>(name: "accounts")
    try await accounts.enqueue(for: "ann") {  // after ann's jobs, beside bob's
      try await api.deposit(10, for: "ann")
    }

    let profiles = TaskCoalescer<String, Profile>(name: "profiles")
    let ann = try await profiles.value(for: "ann") {  // one for all
      try await api.profile(of: "ann")
    }

    let notes = CoalescingTaskExecutor<String>(name: "notes")
    try await notes.write { try await api.save("milk") }
    let all = try await notes.read("all") {  // equal reads are one
      try await api.notes()
    }
    try await notes.write(touching: ["eggs", "all"]) {  // other reads go on
      try await api.save("eggs")
    }

    let job = notes.submitWrite { try await api.save("tea") }  // synchronous
    job.whenComplete { result in print("saved: \(result)") }  // or await job.value
    _ = await job.result
    print("\(ann.name) \(all)")
  }

  @MainActor final class FeedScreen { var items: [String] = [] }

  static func reloading(_ api: API, _ screen: FeedScreen) async throws {
    enum Reason: ReloadReason {
      case appeared, filterChanged
      var policy: ReloadPolicy { self == .appeared ? .join : .supersede }
    }

    let feed = Reloader<Reason, [String]>(name: "feed") { _ in
      try await api.notes()
    } apply: { @MainActor items in
      screen.items = items  // never an older result after a newer one
    }
    feed.request(.appeared)  // returns at once; joins a load that is running
    _ = try await feed.reload(.filterChanged)  // returns when its result is shown
  }

  /// Fills the line if `blocking` is given.
  static func limited(_ api: API, _ log: Log, blocking gate: Gate?) async throws {
    @Sendable func print(_ text: String) { log(text) }
    let orders = SerialTaskExecutor(name: "orders", capacity: 100)
    if let gate {
      for _ in 0...100 { orders.submit { await gate.pass() } }
      await gate.arrived()
      orders.submit { await gate.pass() }
    }
    do {
      try await orders.enqueue(waitingAtMost: .seconds(2)) {
        try await api.save("tea")
      }
    } catch JobRejection.full(let capacity) {
      print("\(capacity) wait already")  // nothing was done: a server answers 503
    } catch JobRejection.late {
      print("two seconds have passed")  // the job never ran, and never will
    }
  }

  static func observed(_ api: API, _ log: Log, _ record: @escaping @Sendable (Duration) -> Void) -> SerialTaskExecutor {
    let orders = SerialTaskExecutor(name: "orders") { event in
      switch event.kind {
      case .failed, .stalled, .heldTooLong: log("\(event)")  // a line each
      case .began: record(event.waited ?? .zero)
      default: break
      }
    }
    orders.submit(name: "save tea") { try await api.save("tea") }
    return orders
  }

  static func deadlock(_ notes: SerialTaskExecutor, _ audit: SerialTaskExecutor) async throws {
    do {
      try await notes.enqueue {
        try await audit.enqueue { try await notes.enqueue {} }
      }
    } catch JobRejection.deadlock(let deadlock) {
      print(deadlock.path)  // ["notes", "audit", "notes"], instead of a hang
    }
  }
}
