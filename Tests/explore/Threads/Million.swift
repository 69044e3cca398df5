import SerialTasks

/// A million jobs of one executor on real threads, a tenth of them cancelled at random moments: each settled once, in order,
/// and no growth in memory.
struct Million: LongRun {
  private let executor = SerialTaskExecutor(name: "million")
  private let ran = Counter()
  private let cancelled = Counter()

  private static let producers = 8
  private static let jobsPerProducer = 1_250

  let seed: UInt64

  var jobs: Int { ran.value + cancelled.value }
  var counts: String { "\(grouped(ran.value)) jobs ran, \(grouped(cancelled.value)) were cancelled and did not" }
  var snapshot: ExecutorSnapshot { executor.snapshot }

  func run() async {
    await play(waves: 100, settledAfter: 20, ("jobs", Million.producers * Million.jobsPerProducer)) {
      await play(SplitMix.mixed(seed &+ UInt64($0 + 1)))
    }
    if snapshot.running > 0 || snapshot.waiting > 0 { Soak.fail("the line is free in the end: \(snapshot)") }
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
