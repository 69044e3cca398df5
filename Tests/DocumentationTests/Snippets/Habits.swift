// For those who come from an executor of their own, from flights and from loading flags.
import CoalescingTasks
import Observation

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
