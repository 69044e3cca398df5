import Comparing
import Mix

/// All contests of the program.
struct Grid {
  let depths: [Int]
  let contexts: [Context]

  init(options: Options) {
    depths = options.depths
    contexts = options.contexts
  }

  private static let contenders: [any Contender.Type] = [
    SeparateTasks.self, NoCoalescing.self, Library.self, TaskDictionary.self,
  ]

  var contests: [Contest] {
    contexts.flatMap { context in
      var contests = [leading(on: context)]
      contests += depths.map { joining($0, on: context) }
      contests += depths.map { keys($0, on: context) }
      contests += depths.map { leaving($0, on: context) }
      contests += Pause.allCases.map { mix("mix", Call.all, $0, on: context) }
      return contests + Pause.allCases.map { mix("hot", Call.hot, $0, on: context) }
    }
  }
}

extension Grid {
  private func leading(on context: Context) -> Contest {
    contest("lead", 1, context) { type in await type.playLeading(on: context) }
  }

  private func joining(_ depth: Int, on context: Context) -> Contest {
    contest("join", depth, context) { type in
      await nanosecondsPerJob(depth: depth) { await type.playJoining(depth, on: context) }
    }
  }

  private func keys(_ depth: Int, on context: Context) -> Contest {
    contest("keys", depth, context) { type in
      await nanosecondsPerJob(depth: depth) { await type.playKeys(depth, on: context) }
    }
  }

  private func leaving(_ depth: Int, on context: Context) -> Contest {
    var contest = contest("leave", depth, context) { type in
      await nanosecondsPerJob(depth: depth) { await type.playLeaving(depth, on: context) }
    }
    for type in Grid.contenders where !type.callersMayLeave {
      contest.entries.removeAll { $0.candidate == type.title }
      contest.absent.append(Absence(type.title, "who waits cannot leave"))
    }
    return contest
  }

  private func contest(
    _ workload: String, _ depth: Int, _ context: Context,
    _ play: @escaping @Sendable (any Contender.Type) async -> Double
  ) -> Contest {
    let entries = Grid.contenders.map { type in
      Entry(type.title, isBaseline: !type.shares) { Sample(nanosecondsPerJob: await play(type)) }
    }
    let setting = Setting(workload: workload, jobKind: nil, context: context, depth: depth)
    return Contest(setting, floor: SeparateTasks.title, entries: entries)
  }
}

/// How long the backend takes for each call.
private enum Pause: String, CaseIterable {
  case none = "backend 0"
  case short = "backend 100 µs"
  case long = "backend 1 ms"

  var duration: Duration {
    switch self {
    case .none: .zero
    case .short: .microseconds(100)
    case .long: .milliseconds(1)
    }
  }
}

extension Grid {
  /// Reads and writes, mixed: all calls at once.
  private func mix(_ workload: String, _ calls: [Call], _ pause: Pause, on context: Context) -> Contest {
    let setting = Setting(workload: workload, jobKind: pause.rawValue, context: context, depth: calls.count)
    let entries = Way.allCases.map { way in
      Entry(way.title, isBaseline: way == .actor) {
        let played = await way.play(calls, takes: pause.duration, onMainActor: context == .mainActor)
        return Sample(nanosecondsPerJob: played.nanoseconds, backendCalls: played.calls)
      }
    }
    return Contest(setting, floor: Way.serial.title, entries: entries)
  }
}

extension Way {
  /// Those that are this library; all but one.
  static var library: [String] { allCases.filter { $0 != .actor }.map(\.title) }

  fileprivate var title: String {
    switch self {
    case .touching: "CoalescingTaskExecutor, touching:"
    case .coalescing: "CoalescingTaskExecutor"
    case .serial: "SerialTaskExecutor alone"
    case .actor: "plain actor"
    }
  }
}
