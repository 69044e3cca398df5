// The blocks of doc comments.
import CoalescingTasks
import Synchronization

struct User: Sendable { typealias ID = String }

struct Account: Sendable {
  var amount: Int
  func adding(_ more: Int) -> Account { Account(amount: amount + more) }
}

enum BankError: Error { case unavailable(JobRejection) }

struct Store: Sendable {
  func account(of id: User.ID) async throws -> Account { Account(amount: 0) }
  func save(_ account: Account) async throws {}
  func move(to url: String) async throws {}
}

struct Bank: Sendable { func deposit(_ amount: Int, for id: User.ID) async throws(BankError) {} }

struct TitleAPI: Sendable { func title() async throws -> String { "title" } }

let service = FakeService()

enum OfSerialTaskExecutor {
  actor NotesRepository {
    let writes = SerialTaskExecutor(name: "notes")
    var saved: [Note] = []

    func save(_ note: Note) async throws {
      try await writes.enqueue {
        try await service.save(note)  // no other write starts before this one has ended
        saved.append(note)  // still isolated to the repository
      }
    }
  }

  static func typed(_ writes: SerialTaskExecutor, _ note: Note) async throws(NotesError) {
    try await writes.enqueue(rejectedAs: NotesError.unavailable) { () async throws(NotesError) in
      try await service.save(note)
    }
  }

  static func move(_ store: Store, to url: String, after writes: SerialTaskExecutor) async throws {
    try await writes.pauseAndWait()
    defer { writes.resume() }
    try await store.move(to: url)  // nothing reads or writes it meanwhile
  }

  static func pause(_ files: SerialTaskExecutor, _ notes: SerialTaskExecutor) async throws {
    try await files.pauseAndWait()  // its jobs call `notes`
    try await notes.pauseAndWait()
  }
}

@MainActor final class OfSubmittedJob {
  static func value(of job: SubmittedJob<Void>) async throws {
    try await withTaskCancellationHandler {
      try await job.value
    } onCancel: {
      job.cancel()
    }
  }

  func show(_ error: any Error) {}

  func save(_ note: Note, _ writes: SerialTaskExecutor) {
    writes.submit { try await service.save(note) }.whenComplete(on: MainActor.self) { result in
      if case .failure(let error) = result { self.show(error) }
    }
  }
}

struct OfKeyedSerialTaskExecutor {
  let store = Store()
  let bank = Bank()

  let accounts = KeyedSerialTaskExecutor<User.ID>(name: "accounts")

  func deposit(_ amount: Int, for id: User.ID) async throws {
    try await accounts.enqueue(for: id) {  // after the earlier jobs of this user,
      let account = try await store.account(of: id)  // beside those of other users
      try await store.save(account.adding(amount))
    }
  }

  func typed(_ amount: Int, for id: User.ID) async throws(BankError) {
    try await accounts.enqueue(for: id, rejectedAs: BankError.unavailable) {
      () async throws(BankError) in
      try await bank.deposit(amount, for: id)
    }
  }

  let transfers = Transfers()
}

struct Transfers {
  struct Store: Sendable { func move(_ amount: Int, from payer: User.ID, to payee: User.ID) async throws {} }

  let store = Store()
  let bank = KeyedSerialTaskExecutor<User.ID>(name: "bank")

  func transfer(_ amount: Int, from payer: User.ID, to payee: User.ID) async throws {
    try await bank.enqueue(touching: [payer, payee]) {
      try await store.move(amount, from: payer, to: payee)
    }
  }
}

struct OfTaskCoalescer {
  let api = API()

  let profiles = TaskCoalescer<User.ID, Profile>(name: "profiles")

  func profile(of id: User.ID) async throws -> Profile {
    // Three screens, one request.
    try await profiles.value(for: id) { try await api.profile(of: id) }
  }
}

final class OfResultCurrent: Sendable {
  let api: API
  let cache = Mutex<[User.ID: Profile]>([:])
  let profiles = TaskCoalescer<User.ID, Profile>(name: "profiles")

  init(api: API) { self.api = api }

  func profile(of id: User.ID) async throws -> Profile {
    if let known = cache.withLock({ $0[id] }) { return known }
    return try await profiles.value(for: id) { [self] in
      let profile = try await api.profile(of: id)
      cache.withLock { if profiles.isResultCurrent { $0[id] = profile } }
      return profile
    }
  }

  func hasChanged(_ id: User.ID) {
    profiles.invalidate(id)
    cache.withLock { $0[id] = nil }
  }
}

struct OfCoalescingTaskExecutor {
  enum Key: Hashable { case all }

  let notes = CoalescingTaskExecutor<Key>(name: "notes")

  func all() async throws -> [Note] {
    try await notes.read(.all) { try await service.fetchNotes() }
  }
  func save(_ note: Note) async throws {
    try await notes.write { try await service.save(note) }
  }
}

struct OfTouching {
  enum Key: Hashable { case all, note(Int) }

  let notes = CoalescingTaskExecutor<Key>(name: "notes")
  let note = Note(id: 1, text: "milk")

  func save(_ note: Note) async throws {
    try await notes.write(touching: [.note(note.id), .all]) { try await service.save(note) }
  }

  func typed(_ note: Note) {
    // On each keystroke: the newest text is saved, in the first waiting save's place.
    notes.submitWrite(latest: .note(note.id), touching: [.note(note.id), .all]) {
      try await service.save(note)
    }
  }

  func refreshTapped() {
    let read = notes.submitRead(.all) { try await service.fetchNotes() }
    let save = notes.submitWrite { try await service.save(note) }  // the read does not see it
    _ = (read, save)
  }
}

private let api = TitleAPI()

enum OfReloader {
  enum Reason: ReloadReason {
    case firstDisplay, pullToRefresh, settingsChanged
    var policy: SharingPolicy {
      switch self {
      case .firstDisplay: .join
      case .pullToRefresh: .rerun
      case .settingsChanged: .supersede
      }
    }
  }

  @MainActor final class Screen {
    private(set) var title = ""
    private lazy var loader = Reloader<Reason, String>(name: "screen") { reason in
      try await api.title()
    } apply: { @MainActor [weak self] title in
      self?.title = title
    }

    func appear() { loader.request(.firstDisplay) }  // from synchronous code
    func refresh() async throws -> String {  // waits for the result
      try await loader.reload(.pullToRefresh)
    }
    func leave() { loader.cancel() }
  }
}
