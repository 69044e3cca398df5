/// The five stories of a screen's life.
struct ReloadStoriesModel: Model {
  static let name = "reload-stories"
  static let about =
    "cold start, away and back, pull to refresh, background and foreground, restoration: what is counted"
  static let mustMeet = LifecycleStory.allCases.map { "\($0)" }

  let world: World
  let story: LifecycleStory

  init(_ world: World) {
    self.world = world
    story = LifecycleStory.allCases[world.random.below(5)]
  }

  func start() {
    let most = world.size(1...3, tiny: 1...1)
    let steps = (0..<8).map { _ in world.random.below(most + 1) }
    world.spawn("screen") { @StoryStage [world, story] in
      let pauses = Pauses()
      let screen = StoryScreen { await world.steps(steps[pauses.next() % steps.count]) }
      let count = await screen.play(story)
      world.note("\(story)", "came to", "\(count.fetches) fetches, \(count.applications) applications")
      world.expect(screen.breach == nil, "a story comes to what it must", screen.breach ?? "")
      world.meet("\(story)")
    }
  }

  func check() {}

  /// Safe because it is reached only from the one thread that the explorer uses.
  private final class Pauses: @unchecked Sendable {
    private var count = 0

    func next() -> Int {
      count += 1
      return count
    }
  }
}
