import CoalescingTasks
import TestWatch

/// What the tasks of a story wait for.
///
/// `A` to `D` are lines. `keys[a]`, `keys[a,b]` and `keys[]` are jobs of keys; `slot[a]` and `slots[a]` are those of executors on which one
/// or two jobs may run at a time. `notes(a)` is a read, `notes{a,b}` a write of keys, `notes` one of every key; `single` and `pair` let
/// one or two reads run at a time. In `tight`, which is like `keys`, and `small`, which is like `notes`, one job may wait. `profiles(a)` and `tokens(a)` are flights, and `profiles(a,supersede)` one
/// that replaces another. `screen(join)`, `screen(rerun)` and `screen(supersede)` reload a screen, whose loads are played by `load1` and so
/// on; `token` and `token(rerun)` ask for a kept value, with `renewal1` and so on, and `session` is another.
struct Places: Sendable {
  typealias Call = Story.Call
  typealias Job = @Sendable () async throws -> Void

  enum Reason: String, ReloadReason {
    case join, rerun, supersede
    var policy: SharingPolicy { self == .join ? .join : self == .rerun ? .rerun : .supersede }
  }

  /// What a word says: the name of what has the turns, and which of them.
  private struct Place {
    let name: String
    let kind: Character?
    let keys: [String]

    var policy: SharingPolicy { keys.count > 1 ? Reason(rawValue: keys[1])!.policy : .join }

    init(_ word: String) {
      let opening = word.firstIndex { "[({.".contains($0) }
      name = String(word[..<(opening ?? word.endIndex)])
      kind = opening.map { word[$0] }
      let inside = opening.map { word[$0...].dropFirst().filter { !"])}".contains($0) } } ?? ""
      keys = inside.split(separator: ",").map(String.init)
    }
  }

  let story: Story
  /// Before each name, since a report is of the whole process.
  private let prefix: String
  private let lines: [String: SerialTaskExecutor]
  private let keyed: [String: KeyedSerialTaskExecutor<String>]
  private let repositories: [String: CoalescingTaskExecutor<String>]
  private let flights: [String: TaskCoalescer<String, String>]
  private let screen: Reloader<Reason, Int>
  private let values: [String: RenewingValue<Int>]

  init(_ story: Story) {
    func named<Value>(_ names: String..., make: (String) -> Value) -> [String: Value] {
      Dictionary(uniqueKeysWithValues: names.map { ($0, make($0)) })
    }
    let (clock, settings) = (story.clock, story.settings)
    let prefix = "story \(Places.stories.add(())): "
    let events = story.events
    let hears: @Sendable (TaskEvent) -> Void = { events($0) }
    let onEvent = settings.isHeard ? hears : nil
    let limit = settings.turnLimit.map { Duration.seconds($0) }
    self.prefix = prefix
    let slots = ["slot": 1, "single": 1, "slots": 2, "pair": 2]
    @Sendable func plays(_ name: String, _ count: Log<Void>) async -> Int {
      let number = count.add(()) + 1
      await story.play(story.player("\(name)\(number)"))
      return number
    }
    self.story = story
    lines = named("A", "B", "C", "D") {
      SerialTaskExecutor(name: prefix + $0, reportsTurnsLongerThan: limit, clock: clock, onEvent: onEvent)
    }
    keyed = named("keys", "slot", "slots", "tight") {
      KeyedSerialTaskExecutor(
        name: prefix + $0, capacity: $0 == "tight" ? 1 : nil, maximumConcurrentJobs: slots[$0],
        reportsTurnsLongerThan: limit, clock: clock, onEvent: onEvent)
    }
    repositories = named("notes", "single", "pair", "small") {
      CoalescingTaskExecutor(
        name: prefix + $0, capacity: $0 == "small" ? 1 : nil, maximumConcurrentReads: slots[$0],
        reportsTurnsLongerThan: limit, clock: clock, onEvent: onEvent)
    }
    flights = named("profiles", "tokens") {
      TaskCoalescer(name: prefix + $0, joinWindow: .seconds(5), clock: clock, onEvent: onEvent)
    }
    let loads = Log<Void>()
    screen = Reloader(
      name: prefix + "screen", clock: clock, load: { _ in await plays("load", loads) }, apply: { _ in },
      onEvent: onEvent)
    values = named("token", "session") { name in
      let renewals = Log<Void>()
      let operation = name == "token" ? "renewal" : "login"
      return RenewingValue(
        name: prefix + name, renewAhead: .seconds(10), joinWindow: .seconds(5), clock: clock,
        renew: { _ in Renewed(await plays(operation, renewals), validFor: .seconds(60)) }, onEvent: onEvent)
    }
  }

  private static let stories = Log<Void>()

  /// The name, without what is before it.
  static func unprefixed(_ name: String) -> String { name.replacing(#/story \d+: /#, with: "") }

  /// What the words after the player's name ask for.
  func command(_ words: [String]) throws -> Story.Command {
    let object = words.count > 2 ? words[2] : ""
    switch words[1] {
    case "ends": return .ends
    case "cancels": return .cancels
    case "forks": return .forks(story.player(object))
    case "starts": return .does { story, _ in story.start(story.player(object)) }
    case "takes", "asks":
      let limit = words.count > 4 && words[3] == "within" ? Duration.seconds(Int(words[4])!) : nil
      let operation = words.count > 4 && words[3] == "as" ? words[4] : words[0]
      let player = story.player(operation)
      return .does { _, caller in
        let job: Job = { [story] in await story.play(player) }
        guard let flights = flights[Place(object).name] else {
          return try await call(Place(object), caller, job, limit, name: story.settings.isNamed ? words[0] : nil)
        }
        let answer = try await flights.answer(
          for: Place(object).keys[0], policy: Place(object).policy, name: story.settings.isNamed ? words[0] : nil
        ) {
          await story.play(player)
          return operation
        }
        caller.gets("\(answer.source) \(answer.value)")
      }
    case "prefetches":
      let player = story.player(words[4])
      return .does { _, _ in
        flights[Place(object).name]!.prefetch(Place(object).keys[0], expiresAfter: .seconds(60)) {
          await story.play(player)
          return words[4]
        }
      }
    case "checks": return .does { _, _ in try Task.checkCancellation() }
    case "submits":
      let place = Place(words[4])
      return .does { _, _ in submit(place, object, latest: words.count > 6 ? words[6] : nil) }
    case "awaits": return .does { story, _ in try await story.player(object).handle.withLock { $0!.end }() }
    case "drains": return .does { _, _ in try await drain(Place(object)) }
    case "pauses": return .does { _, _ in try await pause(object) }
    case "requests": return .does { _, _ in screen.request(Reason(rawValue: Place(object).keys[0])!) }
    case "shuts":
      let limit = words.count > 4 ? Int(words[4])! : 0
      return .does { _, _ in _ = await drainable(object).shutDown(within: .seconds(limit)) }
    case "invalidates":
      return .does { _, _ in
        guard let key = Place(object).keys.first else { return flights[object]!.invalidateAll() }
        flights[Place(object).name]!.invalidate(key)
      }
    case "stores": return .does { _, caller in caller.gets(flights[object]!.isResultCurrent ? "stored" : "not stored") }
    default: throw Unknown(word: words[1])
    }
  }

  private struct Unknown: Error { let word: String }

  private nonisolated(nonsending) func call(
    _ place: Place, _ caller: Player, _ job: @escaping Job, _ limit: Duration?, name: String?
  ) async throws {
    if let line = lines[place.name] { return try await line.enqueue(name: name, waitingAtMost: limit, job) }
    if let keyed = keyed[place.name] {
      if place.keys.count == 1 {
        return try await keyed.enqueue(for: place.keys[0], name: name, waitingAtMost: limit, job)
      }
      return try await keyed.enqueue(touching: place.keys, name: name, waitingAtMost: limit, job)
    }
    if let notes = repositories[place.name] {
      switch place.kind {
      case "(": return try await notes.read(place.keys[0], name: name, waitingAtMost: limit, job)
      case "{": return try await notes.write(touching: place.keys, name: name, waitingAtMost: limit, job)
      default: return try await notes.write(name: name, waitingAtMost: limit, job)
      }
    }
    if place.name == "screen" { return caller.gets("load\(try await screen.reload(Reason(rawValue: place.keys[0])!))") }
    let policy = place.keys.first.map { Reason(rawValue: $0)!.policy } ?? .join
    caller.gets("renewal\(try await values[place.name]!.value(policy: policy))")
  }

  private func submit(_ place: Place, _ name: String, latest: String?) {
    let player = story.player(name)
    let job: Job = { [story] in await story.play(player) }
    let handle = handle(place, story.settings.isNamed ? name : nil, latest, job)
    player.handle.withLock { $0 = .init(end: { try await handle.value }, cancel: { handle.cancel() }) }
    story.started { try await handle.value }
  }

  private func handle(_ place: Place, _ name: String?, _ latest: String?, _ job: @escaping Job) -> SubmittedJob<Void> {
    if let line = lines[place.name] { return line.submit(name: name, job) }
    if let keyed = keyed[place.name] {
      if place.keys.count == 1 { return keyed.submit(for: place.keys[0], name: name, job) }
      return keyed.submit(touching: place.keys, name: name, job)
    }
    let notes = repositories[place.name]!
    switch place.kind {
    case "(": return notes.submitRead(place.keys[0], name: name, job)
    case "{":
      guard let latest else { return notes.submitWrite(touching: place.keys, name: name, job) }
      return notes.submitWrite(latest: latest, touching: place.keys, name: name, job)
    default: return notes.submitWrite(name: name, job)
    }
  }

  private nonisolated(nonsending) func drain(_ place: Place) async throws {
    if let keyed = keyed[place.name], let key = place.keys.first { return try await keyed.drain(for: key) }
    try await drainable(place.name).drain()
  }

  private func drainable(_ name: String) -> any Drainable {
    let named: [(any Drainable)?] = [lines[name], keyed[name], repositories[name], flights[name], values[name]]
    return named.compactMap(\.self).first ?? screen
  }

  private nonisolated(nonsending) func pause(_ name: String) async throws {
    if let line = lines[name] { return try await line.pauseAndWait() }
    if let keyed = keyed[name] { return try await keyed.pauseAndWait() }
    try await repositories[name]!.pauseAndWait()
  }

  /// Does what two words say that begin with the name of an executor; returns whether they do.
  func does(_ words: [String]) -> Bool {
    let (line, keyed, notes) = (lines[words[0]], keyed[words[0]], repositories[words[0]])
    if line == nil, keyed == nil, notes == nil { return false }
    switch words[1] {
    case "pauses":
      line?.pause()
      keyed?.pause()
      notes?.pause()
    case "resumes":
      line?.resume()
      keyed?.resume()
      notes?.resume()
    case "closes":
      line?.close()
      keyed?.close()
      notes?.close()
    default:
      line?.cancelAll()
      keyed?.cancelAll()
      notes?.cancelAll()
    }
    return true
  }

  func resumeAll() {
    for name in Array(lines.keys) + Array(keyed.keys) + Array(repositories.keys) { _ = does([name, "resumes"]) }
  }

  /// What a report says of a place: who holds it how long, and who waits; of each of its keys.
  func report(_ name: String) -> String {
    let own = prefix + name
    return WaitReport.current.executors.filter { $0.name == own || $0.name.hasPrefix(own + "[") }.map { entry in
      let time = Self.seconds(entry.heldFor, or: "?") + (entry.isHeldTooLong ? "!" : "")
      let held = entry.isHeld ? "\(entry.holder ?? "a job") \(time)" : "-"
      let waiting = entry.waiting.map { "\($0.name ?? "a job") \($0.waited.components.seconds)" }
      return "\(entry.name.dropFirst(own.count))\(held) [\(waiting.joined(separator: ", "))]"
    }.joined(separator: " | ")
  }

  /// What was reported of a job or a place: what happened, how long it had waited, how long it ran, how many were ahead or behind.
  func events(of name: String) -> String {
    story.events.entries.filter { $0.job == name || $0.executor == prefix + name }.map { event in
      let kind = "\(event.kind)".prefix { $0 != "(" }
      var ahead = event.ahead.map { "\($0)" } ?? "-"
      if case .heldTooLong(let waiting, let started) = event.kind {
        ahead = "\(waiting)\(started.map { " \($0)" } ?? "")"
      }
      return "\(kind) \(Self.seconds(event.waited))/\(Self.seconds(event.ran))/\(ahead)"
    }.joined(separator: ", ")
  }

  private static func seconds(_ duration: Duration?, or unknown: String = "-") -> String {
    duration.map { "\($0.components.seconds)" } ?? unknown
  }
}
