import SerialTasks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Does one thing after the other, and counts them.
protocol SoakPlayer: Sendable {
  var rounds: Counter { get }
  var priority: TaskPriority? { get }

  func work(while goesOn: @Sendable () -> Bool) async
}

extension SoakPlayer {
  var priority: TaskPriority? { nil }
}

/// Everything at once on real threads, for as long as one likes.
///
/// There is no time limit on anything: each worker is watched, and one that stops making progress while the process is given
/// time is a failure, with the state of everything.
struct Soak {
  private let workers: [SoakWorker]
  private let lines: [SoakLine]
  /// `nil` if only programs are played.
  private let register: SoakRegister?
  private let sharing: [SoakSharing]
  private let programs: [SoakPrograms]
  private let ends = Counter()
  private let working = Counter()

  private static let workerCount = 8

  private init(seed: UInt64, _ subjects: [any Subject.Type], isMixed: Bool) {
    programs = (0..<4).map { SoakPrograms($0, on: subjects, seed: seed) }
    guard isMixed else {
      (workers, lines, sharing, register) = ([], [], [], nil)
      return
    }
    let lines = [
      SoakLine("first", workers: Soak.workerCount), SoakLine("second", workers: Soak.workerCount),
      SoakLine("narrow", capacity: 6, workers: Soak.workerCount),
    ]
    self.lines = lines
    register = SoakRegister(seed: seed)
    sharing = (0..<2).map { SoakSharing(seed: seed &+ $0) }
    let bank = SoakBank()
    workers = (0..<Soak.workerCount).map { SoakWorker($0, lines: lines, bank: bank, seed: seed) }
  }

  /// Says what is wrong and ends the process.
  static func fail(_ promise: String) {
    print("BROKEN on real threads: \(promise)")
    fflush(nil)
    _exit(1)
  }

  /// Plays everything at once, or only the programs of these models.
  static func run(minutes: Double, seed: UInt64, only models: [String]?) -> Int32 {
    let subjects = SoakPrograms.subjects.filter { models?.contains($0.name) ?? true }
    if subjects.isEmpty {
      print("explore: on real threads, there are \(SoakPrograms.subjects.map { $0.name }.joined(separator: ", "))")
      return 2
    }
    let soak = Soak(seed: seed, subjects, isMixed: models == nil)
    soak.start()
    let start = ContinuousClock.now
    var watch = Watch()
    while ContinuousClock.now - start < .seconds(minutes * 60) {
      sleep(1)
      if watch.isStalled(soak.progress) { return soak.stalled() }
      if watch.looks % 10 == 0 { print("\(seconds(since: start))  \(soak.counts)") }
    }
    soak.ends.up()
    while soak.working.value > 0 {
      sleep(1)
      if watch.isStalled(soak.progress) { return soak.stalled() }
    }
    soak.register?.checkSights()
    print("soaked for \(seconds(since: start)): \(soak.counts), no promise broken")
    return 0
  }

  private var players: [any SoakPlayer] { workers + programs + sharing + (register.map { [$0] } ?? []) }

  private var progress: [Int] { players.map(\.rounds.value) }

  private func start() {
    for player in players {
      working.up()
      Task.detached(priority: player.priority) {
        await player.work { ends.value == 0 }
        working.down()
      }
    }
    for line in lines {
      Task.detached { await disturb(line) }
    }
  }

  /// Pauses the line for moments, and clears it now and then.
  private func disturb(_ line: SoakLine) async {
    var random = SplitMix(seed: UInt64(line.name.utf8.count))
    while working.value > 0 {
      try? await Task.sleep(for: .milliseconds(random.within(1...5)))
      line.executor.pause()
      for _ in 0..<random.below(20) { await Task.yield() }
      line.executor.resume()
      if random.once(in: 10) { line.executor.cancelAll() }
    }
  }

  private var counts: String {
    let acts = workers.reduce(0) { $0 + $1.rounds.value }
    let jobs = lines.reduce(0) { $0 + $1.jobs.value }
    let shared = sharing.reduce(0) { $0 + $1.rounds.value }
    let played = programs.reduce(0) { $0 + $1.rounds.value }
    return "\(grouped(acts)) acts, \(grouped(jobs)) jobs, \(grouped(register?.rounds.value ?? 0)) registers, "
      + "\(grouped(played)) programs, \(grouped(shared)) rounds of shared work"
  }

  private func stalled() -> Int32 {
    print("BROKEN on real threads: all workers make progress")
    for worker in workers { print("  worker \(worker.number): \(worker.rounds.value) acts, now \(worker.present)") }
    for line in lines { print("  \(line.name): \(line.executor.snapshot)") }
    if let register { print("  the register: \(register.rounds.value) rounds") }
    for worker in sharing { print("  shared work: \(worker.rounds.value) rounds") }
    for player in programs { print("  \(player.state)") }
    return 1
  }
}
