import SerialTasks

enum After {
  // README
  actor Notebook {
    let uploads: Uploads
    let writes = SerialTaskExecutor(name: "notebook")
    var notes: [String] = []

    init(uploads: Uploads) { self.uploads = uploads }

    func append(_ note: String) async throws {
      try await writes.enqueue {
        let changed = notes + [note]
        try await uploads(changed)  // nobody else's job starts before this one has ended
        notes = changed  // still isolated to the actor: no hop, no lock, no @Sendable
      }
    }
  }
}
