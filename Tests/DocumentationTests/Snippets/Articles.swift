// The blocks of the articles on choosing, cancellation and deadlocks.
import SerialTasks

enum ChoosingUse {
  actor Notebook {
    let upload: @Sendable ([String]) async throws -> Void
    var notes: [String] = []
    let line = SerialTaskExecutor(name: "notebook")

    init(upload: @escaping @Sendable ([String]) async throws -> Void) {
      self.upload = upload
    }

    func append(_ note: String) {  // returns at once; the note is still saved
      line.submit {
        let changed = self.notes + [note]
        try await self.upload(changed)
        self.notes = changed
      }
    }

    func finish() async throws { try await line.drain() }  // returns when all have ended
  }
}

enum CancellationUse {
  static func submitted(_ line: SerialTaskExecutor, _ send: @escaping @Sendable () async throws -> Void) async throws {
    let job = line.submit(name: "upload") { try await send() }
    try await job.value  // if this task is cancelled it stops waiting, and the job goes on
    job.cancel()  // this is what cancels the job
  }

  static func typed(_ line: SerialTaskExecutor, _ service: any NotesService, _ note: Note) async throws(NotesError) {
    do throws(NotesError) {
      try await line.enqueue(rejectedAs: NotesError.unavailable) {
        () async throws(NotesError) in
        try await service.save(note)
      }
    } catch .unavailable(.cancelled) {
      // Cancelled before it began: no instruction of the job ran.
    }
  }

  static func polling(_ line: SerialTaskExecutor, _ pages: [Int], _ send: (Int) async throws -> Void) async throws {
    try await line.enqueue {
      for page in pages {
        try Task.checkCancellation()  // a job that does not check is not stopped
        try await send(page)
      }
    }
  }
}

enum DeadlockUse {
  static func cycle(_ notes: SerialTaskExecutor, _ audit: SerialTaskExecutor) async throws {
    do {
      try await notes.enqueue { try await audit.enqueue { try await notes.enqueue {} } }
    } catch JobRejection.deadlock(let deadlock) {
      print(deadlock.path)  // ["notes", "audit", "notes"]
      print(deadlock)  // what waits for what, which call closed it, and what to do
    }
  }

  static func knownDeadline(_ notes: SerialTaskExecutor, _ audit: SerialTaskExecutor) async throws {
    try await notes.enqueue {
      do {
        try await audit.enqueue(waitingAtMost: .seconds(1)) {}
      } catch JobRejection.late { print("audit is busy") }
    }
  }

  /// Not run: it hangs, as the article says.
  static func hanging(_ notes: SerialTaskExecutor) async throws {
    try await notes.enqueue {
      Task { try await notes.enqueue {} }  // fine: it runs when this job has ended
      try await Task { try await notes.enqueue {} }.value  // hangs: this job awaits it
    }
  }
}

actor Ledger {
  let line = SerialTaskExecutor(name: "ledger")
  private var entries: [String] = []

  func add(_ entry: String) async throws { try await line.enqueue { record(entry) } }

  func move(_ entry: String) async throws {
    try await line.enqueue {
      record("taken \(entry)")  // not add(_:), which would wait for this very turn
      record("given \(entry)")
    }
  }

  private func record(_ entry: String) {
    line.preconditionInJob("entries are recorded inside a turn")
    entries.append(entry)
  }

  var all: [String] { entries }
}
