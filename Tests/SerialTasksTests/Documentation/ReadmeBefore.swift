enum Before {
  // README
  actor Notebook {
    let uploads: Uploads
    var notes: [String] = []

    init(uploads: Uploads) { self.uploads = uploads }

    func append(_ note: String) async throws {
      let changed = notes + [note]
      try await uploads(changed)  // while this waits, the actor lets the next caller in …
      notes = changed  // … and whoever is last overwrites what the other has added
    }
  }
}
