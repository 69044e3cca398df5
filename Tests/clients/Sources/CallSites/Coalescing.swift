import CoalescingTasks

func coalescing() async throws {
  let profiles = TaskCoalescer<Int, String>(name: "profiles", joinWindow: .seconds(30))
  let name = try await profiles.value(for: 7, name: "profile 7", priority: .userInitiated) { "Ann" }
  profiles.prefetch(8, expiresAfter: .seconds(30)) { "Bob" }
  profiles.value(for: 7, { "Ann" }, completion: { result in print(result) })
  profiles.invalidate(7)
  profiles.invalidateAll()
  profiles.cancel(7)
  profiles.cancelAll()
  let answer = try await profiles.answer(for: 9) { "Cid" }
  _ = try await profiles.value(for: 7, policy: .rerun, name: "pulled") { "Ann" }
  _ = try await profiles.answer(for: 7, policy: .supersede) { "Ann" }
  profiles.value(for: 7, policy: .rerun, { "Ann" }, completion: { result in print(result) })
  switch answer.source {
  case .led, .joined, .prefetched: print(answer.value, name)
  }
}

nonisolated enum Page: Hashable {
  case all
  case note(Int)
}

/// A screen shares its loads with other screens; its closures touch what is its own.
@MainActor final class SharedScreen {
  let pages: TaskCoalescer<Page, [Note]>
  let service: any NotesService
  let draft = Draft()
  var shown: [Note] = []

  init(service: any NotesService, pages: TaskCoalescer<Page, [Note]>) {
    self.service = service
    self.pages = pages
  }

  func load() async throws { shown = try await pages.value(for: .all) { [service] in try await service.fetchNotes() } }

  func note(_ id: Int) async throws -> [Note] {
    let answer = try await pages.answer(for: .note(id), name: "note \(id)") {
      self.draft.edits += 1  // still on the main actor
      return [try await self.service.fetchNote(id)]
    }
    return answer.source == .prefetched ? [] : answer.value
  }

  /// From synchronous code, with a handler on the main actor.
  func loadLater() {
    pages.value(for: .all) {
      try await self.service.fetchNotes()
    } completion: { result in
      if case .success(let notes) = result { self.shown = notes }
      self.draft.edits += 1
    }
  }

  func willShow(_ id: Int) {
    pages.prefetch(.note(id), expiresAfter: .seconds(30), name: "note \(id)", priority: .utility) {
      [try await self.service.fetchNote(id)]
    }
  }

  func logOut() {
    pages.cancelAll()
    print(pages.snapshot.running, pages.snapshot.waiting, pages.snapshot.stored)
  }
}

/// A repository keeps it in a property that is entered without a hop.
actor SharedNotes {
  nonisolated let pages = TaskCoalescer<Page, [Note]>(clock: SuspendingClock()) { event in print(event) }
  let service: any NotesService
  var fetched = 0

  init(service: any NotesService) { self.service = service }

  func notes() async throws -> [Note] {
    try await pages.value(for: .all) {
      let notes = try await self.service.fetchNotes()
      self.fetched += 1  // isolated to the actor
      return notes
    }
  }

  nonisolated func forget(_ id: Int) { pages.invalidate(.note(id)) }
}
