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

  /// Not run: it hangs, as the article says.
  static func hanging(_ notes: SerialTaskExecutor) async throws {
    try await notes.enqueue {
      Task { try await notes.enqueue {} }  // fine: it runs when this job has ended
      try await Task { try await notes.enqueue {} }.value  // hangs: this job awaits it
    }
  }
}
