// Before and after, for those who come from an executor of their own, from flights and from loading flags.
import CoalescingTasks
import Observation

enum ExecutorBefore {
  actor SerialQueue {
    private var isExecuting = false
    private var tasks: [@Sendable () async -> Void] = []

    func enqueue<T: Sendable>(
      _ task: @escaping @Sendable () async throws -> T
    ) async throws -> T {
      try await withCheckedThrowingContinuation { continuation in
        tasks.append {
          do {
            continuation.resume(returning: try await task())
          } catch { continuation.resume(throwing: error) }
        }
        if !isExecuting {
          isExecuting = true
          Task { await processQueue() }
        }
      }
    }

    private func processQueue() async {
      while !tasks.isEmpty { await tasks.removeFirst()() }
      isExecuting = false
    }
  }

  actor NotesRepository {
    let service: any NotesService
    let queue = SerialQueue()

    init(service: any NotesService) { self.service = service }

    func notes() async throws -> [Note] {
      try await queue.enqueue { try await self.service.fetchNotes() }
    }

    func save(_ note: Note) async throws {
      try await queue.enqueue { try await self.service.save(note) }
    }
  }
}

enum ExecutorAfter {
  actor NotesRepository {
    let service: any NotesService
    let queue = SerialTaskExecutor(name: "notes")

    init(service: any NotesService) { self.service = service }

    func notes() async throws -> [Note] {
      try await queue.enqueue { try await service.fetchNotes() }
    }

    func save(_ note: Note) async throws {
      try await queue.enqueue { try await service.save(note) }
    }
  }
}

enum FlightBefore {
  actor InFlightTaskCoalescer<Key: Hashable & Sendable, Value: Sendable> {
    private var inFlightTasks: [Key: Task<Value, any Error>] = [:]

    func deduplicated(
      key: Key, operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      if let task = inFlightTasks[key] { return try await task.value }
      let task = Task { try await operation() }
      inFlightTasks[key] = task
      defer { inFlightTasks[key] = nil }
      return try await task.value
    }
  }

  struct ProfileService {
    let api: API
    let coalescer = InFlightTaskCoalescer<String, Profile>()

    func profile(of id: String) async throws -> Profile {
      try await coalescer.deduplicated(key: id) { try await api.profile(of: id) }
    }
  }
}

enum FlightAfter {
  struct ProfileService {
    let api: API
    let coalescer = TaskCoalescer<String, Profile>(name: "profiles")

    func profile(of id: String) async throws -> Profile {
      try await coalescer.value(for: id) { try await api.profile(of: id) }
    }
  }
}

enum SingleFlightUse {
  static func use(_ api: API, _ id: String) async throws -> (Profile, Bool) {
    let group = TaskCoalescer<String, Profile>(name: "profiles", joinWindow: .seconds(10))

    // group.Do(id, …)
    let answer = try await group.answer(for: id) { try await api.profile(of: id) }
    let isShared = answer.source == .joined  // of this caller, not of the flight

    // group.Forget(id): later callers start afresh, present ones get their answer
    group.invalidate(id)
    return (answer.value, isShared)
  }
}

enum LoadingBefore {
  @MainActor @Observable final class FeedModel {
    private(set) var items: [String] = []
    private(set) var isLoading = false
    var filter = "all" { didSet { Task { await load() } } }
    private let fetch: @Sendable (String) async throws -> [String]

    init(fetch: @escaping @Sendable (String) async throws -> [String]) {
      self.fetch = fetch
    }

    func load() async {
      if isLoading { return }  // a filter that changes while it loads is never shown
      isLoading = true
      defer { isLoading = false }
      items = (try? await fetch(filter)) ?? []  // and a failure empties the screen
    }
  }
}

enum LoadingAfter {
  @MainActor @Observable final class FeedModel {
    enum Reason: ReloadReason {
      case appeared, pulled, filterChanged

      var policy: ReloadPolicy {
        switch self {
        case .appeared: .join
        case .pulled: .rerun
        case .filterChanged: .supersede
        }
      }
    }

    private(set) var items: [String] = []
    private(set) var problem: String?
    private var callers = 0
    var isLoading: Bool { callers > 0 }
    var filter = "all" { didSet { Task { await load(.filterChanged) } } }
    private let fetch: @Sendable (String) async throws -> [String]

    @ObservationIgnored
    private lazy var loader = Reloader<Reason, [String]>(name: "feed") {
      @MainActor [weak self] _ in
      guard let self else { throw CancellationError() }
      return try await fetch(filter)
    } apply: { @MainActor [weak self] items in
      self?.items = items
      self?.problem = nil
    }

    init(fetch: @escaping @Sendable (String) async throws -> [String]) {
      self.fetch = fetch
    }

    func appear() async { await load(.appeared) }  // .task { await model.appear() }
    func refresh() async {  // .refreshable { await model.refresh() }
      await Task { await load(.pulled) }.value  // a view that is drawn anew cancels it
    }
    func leave() { loader.cancel() }

    private func load(_ reason: Reason) async {
      callers += 1
      defer { callers -= 1 }
      do {
        _ = try await loader.reload(reason)  // returns when it was applied
      } catch is CancellationError, JobRejection.withdrawn {
        // The screen was left.
      } catch { problem = "\(error)" }  // and what is shown stays
    }
  }
}
