import CoalescingTasks
import Testing

/// The five stories of a screen's life on real threads.
@Suite(.serialized, .watched) struct ReloadStoryTests {
  /// A fifth of the rounds for each story; how long loads and pauses take differs from round to round.
  ///
  /// Fails if: three triggers at once fetch more than once, anything lands while the screen is left, an old result on a newer
  /// one, or a superseded one at all.
  @Test func everyStoryComesToWhatItMust() async {
    var met: [LifecycleStory: Set<LifecycleCount>] = [:]
    for round in 0..<Effort.upTo(10_000) {
      let story = LifecycleStory.allCases[round % 5]
      let (count, breach) = await play(story, round)
      if let breach {
        Issue.record("round \(round), \(story): \(breach)")
        return
      }
      met[story, default: []].insert(count)
    }
    #expect(met.count == 5)
    #expect(met[.coldStart] == [LifecycleCount(requests: 3, fetches: 1, applications: 1, transitions: 1)])
    #expect(met[.pullDuringTheFirstLoad] == [LifecycleCount(requests: 2, fetches: 2, applications: 2, transitions: 2)])
  }

  @StoryStage private func play(_ story: LifecycleStory, _ round: Int) async -> (LifecycleCount, String?) {
    let screen = StoryScreen { for _ in 0..<round % 7 % 4 { await Task.yield() } }
    return (await screen.play(story), screen.breach)
  }
}
