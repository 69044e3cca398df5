import SerialTasks
import Synchronization

/// A screen that loads: with an owner for it, or with none.
@MainActor final class ReloadingScreen {
  typealias Loader = Reloader<ReloadingTrigger, Int>

  /// The backend of one story: its fetches are numbered, and answered when the story says so.
  private final class Source: Sendable {
    private let signals = (1...10).map { _ in Signal() }
    private let count = Mutex(0)

    var fetches: Int { count.withLock { $0 } }

    func answer(_ fetch: Int) { signals[fetch - 1].give() }

    /// Not ended by cancellation: a backend that was asked answers.
    func fetch() async -> Int {
      let fetch = count.withLock { count in
        count += 1
        return count
      }
      await signals[fetch - 1].wait()
      return fetch
    }
  }

  private let source = Source()
  private var loader: Loader?
  private(set) var shown: [Int] = []

  /// - Parameter isOwned: Whether a `Reloader` decides; otherwise every trigger fetches and applies.
  init(isOwned: Bool) {
    guard isOwned else { return }
    loader = Loader(name: "screen") { [source] _ in
      await source.fetch()
    } apply: { @MainActor [weak self] fetch in
      self?.shown.append(fetch)
    }
  }

  var count: ReloadingStory.Count { ReloadingStory.Count(fetches: source.fetches, applications: shown.count) }

  func perform(_ action: ReloadingStory.Action) {
    switch action {
    case .trigger(let trigger):
      if let loader { return loader.request(trigger) }
      Task { shown.append(await source.fetch()) }
    case .leave: loader?.cancel()
    case .answer(let fetch): source.answer(fetch)
    }
  }

  /// Plays the story, and waits after each step for what must come of it.
  func play(_ story: ReloadingStory, patience: Duration) async {
    for step in story.steps {
      perform(step.action)
      let must = loader == nil ? step.naive : step.owned
      let start = ContinuousClock.now
      while count != must, ContinuousClock.now - start < patience { await Task.yield() }
    }
    // What should not come is given the time to.
    try? await Task.sleep(for: .milliseconds(10))
  }
}
