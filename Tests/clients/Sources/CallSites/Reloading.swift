// One owner for a screen's loading, as its users write it: every line must compile, without a warning, in each CLIENT_MODE.
import CoalescingTasks

nonisolated enum Reason: ReloadReason {
  case firstDisplay, foregroundResume, pullToRefresh, settingsChanged
  var policy: ReloadPolicy {
    switch self {
    case .firstDisplay, .foregroundResume: .join
    case .pullToRefresh: .rerun
    case .settingsChanged: .supersede
    }
  }
}

@MainActor final class Screen {
  private(set) var title = ""
  private lazy var loader = Reloader<Reason, String>(name: "screen") { reason in
    "loaded for \(reason)"
  } apply: { @MainActor [weak self] title in
    self?.title = title  // never a result that something newer has replaced
  }
  func appear() { loader.request(.firstDisplay) }  // from a synchronous callback
  func refresh() async throws -> String { try await loader.reload(.pullToRefresh) }  // waits for the result
  func leave() { loader.cancel() }
}

/// A screen whose closures touch what is its own.
@MainActor final class NotesScreen {
  let service: any NotesService
  let draft = Draft()
  var shown: [Note] = []
  private lazy var loader = Reloader<Reason, [Note]> { [service] _ in
    try await service.fetchNotes()
  } apply: { @MainActor [weak self] notes in
    self?.shown = notes
    self?.draft.edits += 1
  } onEvent: { event in
    print(event)
  }

  init(service: any NotesService) { self.service = service }

  func changeSettings() { loader.request(.settingsChanged) }

  func leave() {
    loader.cancel()
    let snapshot = loader.snapshot
    print(snapshot.running, snapshot.waiting, snapshot.reason ?? .firstDisplay, snapshot.next == nil)
  }
}

/// An actor applies what was loaded to its own state.
actor Cache {
  private var notes: [Note] = []

  func loader(of service: any NotesService) -> Reloader<Reason, [Note]> {
    Reloader { _ in
      try await service.fetchNotes()
    } apply: { notes in
      self.notes = notes
    }
  }
}

nonisolated func end<Reason: ReloadReason>(
  _ feed: Reloader<Reason, Int>, _ session: RenewingValue<String>, _ line: SerialTaskExecutor,
  _ keyed: KeyedSerialTaskExecutor<String>, _ notes: CoalescingTaskExecutor<Int>
) async throws {
  let parts: [any Drainable] = [feed, session, line, keyed, notes]
  for part in parts { part.close() }
  for part in parts { try await part.drain() }
  for part in parts { await part.shutDown(within: .seconds(1)) }
}
