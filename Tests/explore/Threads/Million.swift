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

/// A million jobs of one executor on real threads, a tenth of them cancelled at random moments: each settled once, in order,
/// and no growth in memory.
struct Million {
  private let executor = SerialTaskExecutor(name: "million")
  private let ran = Counter()
  private let cancelled = Counter()

  private static let waves = 100
  private static let producers = 8
  private static let jobsPerProducer = 1_250
  /// The memory after so many waves is what the end is compared with.
  private static let settledAfter = 20
  /// In kilobytes; what the allocator does with so many tasks at once varies by about this.
  private static let mostGrowth = 8_192

  static func run(seed: UInt64) -> Int32 {
    let (million, ends, start) = (Million(), Counter(), ContinuousClock.now)
    Task.detached {
      await million.run(seed: seed)
      ends.up()
    }
    var watch = Watch()
    while ends.value == 0 {
      sleep(1)
      if watch.isStalled([million.ran.value + million.cancelled.value]) {
        Soak.fail("all jobs make progress: \(million.counts), \(million.executor.snapshot)")
      }
    }
    print("\(million.counts) in \(seconds(since: start)), no promise broken")
    return 0
  }

  private var counts: String {
    "\(grouped(ran.value)) jobs ran, \(grouped(cancelled.value)) were cancelled and did not"
  }

  private func run(seed: UInt64) async {
    var early: Int?
    for wave in 1...Million.waves {
      await play(SplitMix.mixed(seed &+ UInt64(wave)))
      if wave == Million.settledAfter { early = Memory.resident }
    }
    let snapshot = executor.snapshot
    if snapshot.running > 0 || snapshot.waiting > 0 { Soak.fail("the line is free in the end: \(snapshot)") }
    guard let early, let late = Memory.resident else { return print("memory: not known here") }
    let jobs = Million.producers * Million.jobsPerProducer * Million.settledAfter
    print("memory: \(grouped(early)) kB after \(grouped(jobs)) jobs, \(grouped(late)) kB after all")
    if late - early > Million.mostGrowth { Soak.fail("memory does not grow with the number of jobs") }
  }

  /// One wave: each producer asks for its jobs one after the other, dooms a tenth, and waits for the answers.
  private func play(_ seed: UInt64) async {
    let latest = Exclusive(Array(repeating: -1, count: Million.producers))
    await withTaskGroup(of: Void.self) { group in
      for producer in 0..<Million.producers {
        group.addTask { await produce(producer, latest, SplitMix(seed: SplitMix.mixed(seed &+ UInt64(producer)))) }
      }
    }
  }

  private func produce(_ producer: Int, _ latest: Exclusive<[Int]>, _ random: SplitMix) async {
    var random = random
    var (jobs, doomed): ([MillionJob], [MillionJob]) = ([], [])
    // Cancelled early, they leave the line; cancelled late, they run or have run.
    let delay = [4, 60, 600][random.below(3)]
    for number in 0..<Million.jobsPerProducer {
      var job = MillionJob(number: number, producer: producer, latest: latest)
      job.ask(executor, &random)
      jobs.append(job)
      if random.once(in: 10) { doomed.append(job) }
      if random.once(in: 4) { await Task.yield() }
      if random.once(in: delay) { Million.cancel(&doomed) }
    }
    Million.cancel(&doomed)
    for job in jobs { if await job.settled() { ran.up() } else { cancelled.up() } }
  }

  private static func cancel(_ doomed: inout [MillionJob]) {
    for job in doomed { job.cancel() }
    doomed.removeAll()
  }
}
