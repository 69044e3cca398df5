import CoalescingTasks

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

nonisolated enum Reason: ReloadReason {
  case firstDisplay, foregroundResume, pullToRefresh, settingsChanged
  var policy: SharingPolicy {
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

nonisolated struct AccessToken: Sendable, Equatable { var text: String }
nonisolated protocol Login: Sendable { func refresh(_ old: AccessToken?) async throws -> AccessToken }

/// A session that belongs to the main actor, and whose refresh touches what is its own.
@MainActor final class Session {
  let login: any Login
  var refreshes = 0
  private(set) var shown: AccessToken?
  private lazy var token = RenewingValue<AccessToken>(joinWindow: .seconds(30)) { @MainActor [login, weak self] old in
    self?.refreshes += 1
    return Renewed(try await login.refresh(old), validFor: .seconds(3_600))
  } onEvent: { event in
    print(event)
  }

  init(login: any Login) { self.login = login }

  func request() async throws -> String { try await token.value().text }

  func show() {
    token.value { result in
      if case .success(let token) = result { self.shown = token }
    }
    guard let shown else { return }
    token.value(insteadOf: shown) { result in
      if case .failure(let error) = result { print(error) }
    }
  }

  func logOut() {
    token.clear()
    let snapshot = token.snapshot
    print(snapshot.remaining ?? .zero, snapshot.running, snapshot.waiting, token.name ?? "")
  }
}

/// Not older than this call: what runs is let finish, or cancelled; all that ask meanwhile share the renewal after it.
nonisolated func afterThePurchase(_ claims: RenewingValue<String>) async throws -> (String, String) {
  (try await claims.value(policy: .rerun), try await claims.value(policy: .supersede))
}

/// Stored only if nothing newer is wanted.
nonisolated func store(_ flights: TaskCoalescer<String, Int>, _ keep: @escaping @Sendable (Int) -> Void) async throws {
  _ = try await flights.value(for: "a") {
    if flights.isResultCurrent { keep(1) }
    return 1
  }
}

/// An actor renews from its own state; the value need not be Equatable.
actor Vault {
  nonisolated struct Secret: Sendable { var bytes: [UInt8] }
  private var seed: UInt8 = 0

  func secret() -> RenewingValue<Secret> {
    RenewingValue { _ in
      self.seed += 1
      return Renewed(Secret(bytes: [self.seed]), validFor: .seconds(60))
    }
  }
}

nonisolated func clocks(_ login: any Login, _ clock: some Clock<Duration>) {
  _ = SerialTaskExecutor(name: "orders", reportsTurnsLongerThan: .seconds(10), clock: clock) { event in print(event) }
  _ = RenewingValue<AccessToken>(name: "token", renewAhead: .seconds(60), clock: clock) { old in
    Renewed(try await login.refresh(old), validFor: .seconds(3_600))
  }
}

nonisolated func handTested() {
  let handler: @Sendable (TaskEvent) -> Void = { print($0) }
  handler(TaskEvent(kind: .began, executor: "orders", job: "ship", place: 1, instant: .now, waited: .seconds(1)))
  handler(TaskEvent(kind: .waiting, executor: "orders", ahead: 2))
  print(ExecutorSnapshot(waiting: 3, running: 1), CoalescerSnapshot(running: 1))
  print(RenewingSnapshot(), WaitReport(executors: []))
}
