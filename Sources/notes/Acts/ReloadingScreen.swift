import SerialTasks
import SerialTasksTesting
import Synchronization

/// A screen that loads: with an owner for it, or with none.
@MainActor final class ReloadingScreen {
  typealias Loader = Reloader<ReloadingTrigger, Int>

  /// A fetch and what became of its answer.
  struct Fetch: Sendable {
    enum Fate {
      case applied
      /// It was applied over the answer of a later fetch.
      case appliedOverNewer
      /// It was not shown.
      case dropped
    }

    /// From 1.
    let number: Int
    let began: Duration
    var ended: Duration?
    var fate = Fate.dropped
  }

  /// The backend of one story: its fetches are numbered, and answered when the story says so.
  private final class Source: Sendable {
    private let stopwatch = Stopwatch()
    private let gates = (1...10).map { _ in Gate() }
    private let fetched = Mutex<[Fetch]>([])

    var fetches: [Fetch] { fetched.withLock { $0 } }

    func answer(_ fetch: Int) { gates[fetch - 1].open() }

    /// Not ended by cancellation: a backend that was asked answers.
    func fetch() async -> Int {
      let now = stopwatch.time
      let number = fetched.withLock { fetched in
        fetched.append(Fetch(number: fetched.count + 1, began: now))
        return fetched.count
      }
      await gates[number - 1].pass()
      let end = stopwatch.time
      fetched.withLock { $0[number - 1].ended = end }
      return number
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

  /// By number.
  var fetches: [Fetch] {
    source.fetches.map { fetch in
      var fetch = fetch
      if let index = shown.firstIndex(of: fetch.number) {
        fetch.fate = shown[..<index].contains { $0 > fetch.number } ? .appliedOverNewer : .applied
      }
      return fetch
    }
  }

  var count: ReloadingStory.Count { ReloadingStory.Count(fetches: source.fetches.count, applications: shown.count) }

  func perform(_ action: ReloadingStory.Action) {
    switch action {
    case .trigger(let trigger):
      if let loader { return loader.request(trigger) }
      Task { shown.append(await source.fetch()) }
    case .leave: loader?.cancel()
    case .answer(let fetch): source.answer(fetch)
    }
  }

  /// Plays the story, and waits after each step for what must come of it, and then a while, so that there is time to draw.
  func play(_ story: ReloadingStory, pace: Duration, patience: Duration) async {
    for step in story.steps {
      perform(step.action)
      let must = loader == nil ? step.naive : step.owned
      // The demonstration is never cancelled, so neither can throw.
      try? await Patience(limit: patience).wait { count == must }
      // What should not come is given the time to.
      try? await Task.sleep(for: pace)
    }
  }
}
