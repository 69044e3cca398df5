/// What the command line asks for.
struct Options {
  enum Task {
    case explore, replay, selfCheck, list, help, oracle(programs: Int), orders, soak(minutes: Double), million,
      millionKeys
  }

  private(set) var task = Task.explore
  private(set) var schedules = 200_000
  private(set) var chosen: [any Model.Type] = models
  /// `nil` is all of them in turn.
  private(set) var strategy: Schedule.StrategyName?
  private(set) var seed: UInt64 = 1
  private(set) var path: [Int] = []
  private(set) var preemptions = 1
  private(set) var choices: [Int: Int]?
  private(set) var dropped: Set<Int> = []

  init(_ arguments: some Sequence<String>) throws(Wrong) {
    var rest = Array(arguments)[...]
    var (hasSeed, hasSchedules) = (false, false)
    while let flag = rest.popFirst() {
      switch flag {
      case "--help", "-h": task = .help
      case "--list": task = .list
      case "--million": task = .million
      case "--oracle": task = .oracle(programs: try Options.count(of: flag, try Options.value(of: flag, &rest)))
      case "--orders": task = .orders
      case "--million-keys": task = .millionKeys
      case "--soak": task = .soak(minutes: try Options.minutes(try Options.value(of: flag, &rest)))
      case "--schedules":
        schedules = try Options.count(of: flag, try Options.value(of: flag, &rest))
        hasSchedules = true
      case "--model": chosen = try Options.chosen(try Options.value(of: flag, &rest))
      case "--strategy": strategy = try Options.strategy(try Options.value(of: flag, &rest))
      case "--seed":
        seed = try Options.seed(try Options.value(of: flag, &rest))
        hasSeed = true
      case "--path": path = try Options.path(try Options.value(of: flag, &rest))
      case "--preemptions": preemptions = try Options.count(of: flag, try Options.value(of: flag, &rest))
      case "--choices": choices = try Options.choices(try Options.value(of: flag, &rest))
      case "--without": dropped = Set(try Options.path(try Options.value(of: flag, &rest)))
      case "--self-check": task = .selfCheck
      default: throw Wrong("there is no option \(flag)")
      }
    }
    if case .explore = task, hasSeed, !hasSchedules { try replay() }
    if !path.isEmpty, strategy != .exhaustive { throw Wrong("--path belongs to --strategy exhaustive") }
  }

  private mutating func replay() throws(Wrong) {
    guard chosen.count == 1, strategy != nil else {
      throw Wrong("--seed alone replays one schedule, which needs --model and --strategy; or add --schedules")
    }
    task = .replay
  }
}

/// What is wrong with a command line.
struct Wrong: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

// MARK: - Values

extension Options {
  private static func value(of flag: String, _ rest: inout ArraySlice<String>) throws(Wrong) -> String {
    guard let value = rest.popFirst() else { throw Wrong("\(flag) needs a value") }
    return value
  }

  private static func count(of flag: String, _ text: String) throws(Wrong) -> Int {
    guard let count = Int(text.filter { $0 != "_" }), count > 0 else {
      throw Wrong("\(flag) needs a number above 0, not \(text)")
    }
    return count
  }

  private static func minutes(_ text: String) throws(Wrong) -> Double {
    guard let minutes = Double(text), minutes > 0, minutes < 100_000 else {
      throw Wrong("--soak needs a number of minutes above 0, not \(text)")
    }
    return minutes
  }

  private static func seed(_ text: String) throws(Wrong) -> UInt64 {
    guard let seed = UInt64(text) else { throw Wrong("--seed needs a number, not \(text)") }
    return seed
  }

  private static func chosen(_ text: String) throws(Wrong) -> [any Model.Type] {
    if text == "programs" { return programs }
    guard let model = models.first(where: { $0.name == text }) else {
      throw Wrong("there is no model \(text): \(models.map { $0.name }.joined(separator: ", "))")
    }
    return [model]
  }

  private static func strategy(_ text: String) throws(Wrong) -> Schedule.StrategyName? {
    if text == "mixed" { return nil }
    guard let strategy = Schedule.StrategyName(rawValue: text) else {
      let names = Schedule.StrategyName.allCases.map(\.rawValue).joined(separator: ", ")
      throw Wrong("there is no strategy \(text): mixed, \(names)")
    }
    return strategy
  }

  private static func choices(_ text: String) throws(Wrong) -> [Int: Int] {
    if text == "none" { return [:] }
    var choices: [Int: Int] = [:]
    for part in text.split(separator: ",") {
      let numbers = part.split(separator: ".").map { Int($0) ?? -1 }
      guard numbers.count == 2, numbers.allSatisfy({ $0 >= 0 }) else {
        throw Wrong("--choices needs positions and choices like 3.1,7.2, not \(text)")
      }
      choices[numbers[0]] = numbers[1]
    }
    return choices
  }

  private static func path(_ text: String) throws(Wrong) -> [Int] {
    let choices = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard choices.allSatisfy({ (0..<1_000).contains($0) }) else {
      throw Wrong("--path needs choices like 0.2.1, not \(text)")
    }
    return choices
  }
}
