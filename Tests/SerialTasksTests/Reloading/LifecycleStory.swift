import CoalescingTasks
import Synchronization

/// What happens to a screen while it loads, on real threads.
enum LifecycleStory: CaseIterable, Sendable {
  case coldStart, awayAndBack, pullDuringTheFirstLoad, backgroundMidRequest, interruptedRestoration
}

/// What a story came to.
struct LifecycleCount: Hashable, Sendable {
  var requests = 0
  var fetches = 0
  var applications = 0
  /// How often what is shown has changed.
  var transitions = 0

  init(requests: Int = 0, fetches: Int = 0, applications: Int = 0, transitions: Int = 0) {
    self.requests = requests
    self.fetches = fetches
    self.applications = applications
    self.transitions = transitions
  }
}

/// Where the screens of stories live.
@globalActor actor StoryStage { static let shared = StoryStage() }

/// A screen that a story happens to: each request has a number, and what it loads is that number.
@StoryStage final class StoryScreen {
  struct Reason: ReloadReason {
    let number: Int
    let policy: ReloadPolicy
  }

  private(set) var count = LifecycleCount()
  /// What is not as promised.
  private(set) var breach: String?
  private let pause: @Sendable () async -> Void
  private let fetches = Fetches()
  private var reloader: Reloader<Reason, Int>!
  private var shown = 0
  private var isAway = false
  /// Nothing that was asked for before this may land.
  private var oldest = 0

  private final class Fetches: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
  }

  /// - Parameter pause: Lets others go first, in loads and between triggers.
  init(pause: @escaping @Sendable () async -> Void) {
    self.pause = pause
    reloader = Reloader(name: "screen") { [fetches] reason in
      fetches.add()
      await pause()
      await pause()
      return reason.number
    } apply: { @StoryStage [weak self] number in
      self?.show(number)
    }
  }

  private func show(_ number: Int) {
    if isAway { breach = "\(number) landed while the screen was away" }
    if number < oldest { breach = "\(number) landed after \(oldest) had replaced it" }
    if number < shown { breach = "\(number) landed on \(shown)" }
    count.applications += 1
    if number != shown { count.transitions += 1 }
    shown = number
  }

  private func reason(_ policy: ReloadPolicy) -> Reason {
    count.requests += 1
    if policy == .supersede { oldest = count.requests }
    return Reason(number: count.requests, policy: policy)
  }

  private func trigger(_ policy: ReloadPolicy) { reloader.request(reason(policy)) }

  /// The last trigger of a story, which waits for what it is answered.
  private func ending(_ policy: ReloadPolicy) async {
    do {
      let answer = try await reloader.reload(reason(policy))
      if answer != shown { breach = "answered \(answer) where \(shown) is shown" }
    } catch { breach = "\(error)" }
  }
}

extension StoryScreen {
  /// Plays the story to its end.
  func play(_ story: LifecycleStory) async -> LifecycleCount {
    switch story {
    case .coldStart:
      trigger(.join)
      trigger(.join)
      await ending(.join)
    case .awayAndBack:
      trigger(.join)
      await pause()
      reloader.cancel()
      isAway = true
      oldest = count.requests + 1
      await pause()
      isAway = false
      await ending(.join)
    case .pullDuringTheFirstLoad:
      trigger(.join)
      await pause()
      await ending(.rerun)
    case .backgroundMidRequest:
      trigger(.join)
      await pause()
      await ending(.join)
    case .interruptedRestoration:
      trigger(.join)
      await pause()
      await ending(.supersede)
    }
    count.fetches = fetches.count
    if breach == nil, !story.allows(count) { breach = "\(count)" }
    return count
  }
}

extension LifecycleStory {
  /// Whether a story may come to this; where there are two ways, it depends on what was first.
  fileprivate func allows(_ count: LifecycleCount) -> Bool {
    guard count.transitions == count.applications, count.applications <= count.fetches else { return false }
    let (fetches, applications) = (count.fetches, count.applications)
    return switch self {
    case .coldStart: fetches == 1 && applications == 1
    case .pullDuringTheFirstLoad: fetches == 2 && applications == 2
    case .backgroundMidRequest: fetches == applications && (1...2).contains(fetches)
    case .awayAndBack, .interruptedRestoration: (1...2).contains(fetches) && (1...2).contains(applications)
    }
  }
}
