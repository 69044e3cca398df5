// The blocks of README.md, letter for letter; ReadmeTests runs them.
import SerialTasks

enum Before {
  actor Notebook {
    let upload: @Sendable ([String]) async throws -> Void
    var notes: [String] = []

    init(upload: @escaping @Sendable ([String]) async throws -> Void) { self.upload = upload }

    func append(_ note: String) async throws {
      let changed = notes + [note]
      try await upload(changed)  // while this waits, the actor lets the next caller in …
      notes = changed  // … and the last call overwrites what the other has added
    }
  }
}

enum After {
  actor Notebook {
    let upload: @Sendable ([String]) async throws -> Void
    let line = SerialTaskExecutor(name: "notebook")
    var notes: [String] = []

    init(upload: @escaping @Sendable ([String]) async throws -> Void) { self.upload = upload }

    func append(_ note: String) async throws {
      try await line.enqueue {
        let changed = notes + [note]
        try await upload(changed)  // no other job starts before this one has ended
        notes = changed  // still isolated to the actor: no hop, no lock, no @Sendable
      }
    }
  }
}

enum ReadmeUse {
  static func merging(_ api: API, _ log: Log) async throws {
    @Sendable func print(_ text: String) { log(text) }
    let accounts = KeyedSerialTaskExecutor<String>(name: "accounts")
    try await accounts.enqueue(for: "ann") { try await api.deposit(10, for: "ann") }  // after ann's, beside bob's

    let profiles = TaskCoalescer<String, Profile>(name: "profiles")
    let ann = try await profiles.value(for: "ann") { try await api.profile(of: "ann") }  // three screens, one request

    let notes = CoalescingTaskExecutor<String>(name: "notes")
    try await notes.write { try await api.save("milk") }
    let all = try await notes.read("all") { try await api.notes() }  // equal reads are one, and see the milk

    try await notes.write(touching: ["eggs", "all"]) { try await api.save("eggs") }  // reads of other keys go on

    let job = notes.submitWrite { try await api.save("eggs") }  // synchronous: the place is taken here
    job.whenComplete { result in print("saved: \(result)") }  // or try await job.value, or job.cancel()
    _ = await job.result
    print("\(ann.name) \(all)")
  }

  static func deadlock(_ notes: SerialTaskExecutor, _ audit: SerialTaskExecutor) async throws {
    do {
      try await notes.enqueue { try await audit.enqueue { try await notes.enqueue {} } }
    } catch JobRejection.deadlock(let deadlock) {
      print(deadlock.path)  // ["notes", "audit", "notes"], instead of hanging for ever
    }
  }
}
