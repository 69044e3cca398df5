import Comparing

extension Entry {
  /// Fewer jobs than this say more about the allocator's own caches than about themselves.
  private static let leastToWeigh = 100

  init<Way: Contender>(enqueueing type: Way.Type, _ setting: Setting, _ kind: JobKind) {
    let (depth, context) = (setting.depth, setting.context)
    var weigh: (@Sendable () async -> Double?)?
    if Entry.weighs(kind, depth) { weigh = { await Way.weighCallers(depth, on: context) } }
    self.init(Way.title, isBaseline: !Way.keepsOrder, weigh: weigh) {
      let time = await nanosecondsPerJob(depth: depth, jobsOfRound: kind.jobsOfRound) {
        await Way.playCallers(depth, kind.work, on: context)
      }
      return Sample(nanosecondsPerJob: time)
    }
  }

  init<Way: Submitting>(submitting type: Way.Type, _ setting: Setting, _ kind: JobKind) {
    let (depth, context) = (setting.depth, setting.context)
    var weigh: (@Sendable () async -> Double?)?
    if Entry.weighs(kind, depth) { weigh = { await Way.weighSubmissions(depth) } }
    self.init(Way.title, isBaseline: !Way.keepsOrder, weigh: weigh) {
      let time = await nanosecondsPerJob(depth: depth, jobsOfRound: kind.jobsOfRound) {
        await Way.playSubmissions(depth, kind.work, on: context)
      }
      return Sample(nanosecondsPerJob: time)
    }
  }

  init<Way: Contender>(keyed type: Way.Type, _ setting: Setting, _ kind: JobKind) {
    let (depth, context) = (setting.depth, setting.context)
    self.init(Way.title, isBaseline: !Way.keepsOrder) {
      let time = await nanosecondsPerJob(depth: depth) { await Way.playKeys(depth, kind.work, on: context) }
      return Sample(nanosecondsPerJob: time)
    }
  }

  init<Way: Leavable>(leaving type: Way.Type, _ setting: Setting) {
    let (depth, context) = (setting.depth, setting.context)
    self.init(Way.title, isBaseline: !Way.keepsOrder) {
      let time = await nanosecondsPerJob(depth: depth) { await Way.playLeaving(depth, on: context) }
      return Sample(nanosecondsPerJob: time)
    }
  }

  private static func weighs(_ kind: JobKind, _ depth: Int) -> Bool { kind == .nothing && depth >= leastToWeigh }
}
