// The blocks of README.md, letter for letter; ReadmeTests runs them.
import CoalescingTasks
import SerialTasks
import SerialTasksTesting

enum Before {
  actor Notebook {
    let upload: @Sendable ([String]) async throws -> Void
    var notes: [String] = []

    init(upload: @escaping @Sendable ([String]) async throws -> Void) {
      self.upload = upload
    }

    func append(_ note: String) async throws {
      let changed = notes + [note]
      try await upload(changed)  // meanwhile, other calls run …
      notes = changed  // … and this overwrites what they added
    }
  }
}

enum After {
  actor Notebook {
    let line = SerialTaskExecutor(name: "notebook")
    let upload: @Sendable ([String]) async throws -> Void
    var notes: [String] = []

    init(upload: @escaping @Sendable ([String]) async throws -> Void) {
      self.upload = upload
    }

    func append(_ note: String) async throws {
      try await line.enqueue {
        let changed = notes + [note]
        try await upload(changed)  // no other job starts before this one ends
        notes = changed  // still isolated to the actor: needs no `await`
      }
    }
  }
}

enum ReadmeUse {
  static func merging(_ api: API, _ log: Log) async throws {
    // After Ann's jobs, alongside Bob's:
    let accounts = KeyedSerialTaskExecutor<String>(name: "accounts")
    try await accounts.enqueue(for: "ann") { try await api.deposit(10, for: "ann") }

    // One operation for all callers:
    let profiles = TaskCoalescer<String, Profile>(name: "profiles")
    let ann = try await profiles.value(for: "ann") {
      try await api.profile(of: "ann")
    }

    // Reads merge, writes keep their order; a write names its keys, or takes all:
    let notes = CoalescingTaskExecutor<String>(name: "notes")
    try await notes.write { try await api.save("milk") }
    let all = try await notes.read("all") { try await api.notes() }
    try await notes.write(touching: ["eggs", "all"]) { try await api.save("eggs") }
    notes.submitWrite { try await api.save("tea") }  // returns at once
    try await notes.drain()
    log("\(ann.name) \(all), then \(try await api.notes())")
  }

  static func testing(_ line: SerialTaskExecutor) async throws {
    let gate = Gate()
    let first = Task { try await line.enqueue { await gate.pass() } }
    await gate.waitForArrivals()  // the first job runs, and is held at the gate
    let second = Task { try await line.enqueue { print("second") } }
    try await line.waitUntil(waiting: 1)  // the second has its place behind it
    gate.open()
    _ = (try await first.value, try await second.value)
  }
}
