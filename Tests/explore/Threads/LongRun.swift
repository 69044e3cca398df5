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

/// Waves of jobs of one executor on real threads, as many as it takes to see whether memory grows with them.
protocol LongRun: Sendable {
  var jobs: Int { get }
  var counts: String { get }
  var snapshot: ExecutorSnapshot { get }

  func run() async
}

extension LongRun {
  /// - Returns: The status of the process.
  func watched() -> Int32 {
    let (ends, start) = (Counter(), ContinuousClock.now)
    Task.detached {
      await run()
      ends.up()
    }
    var watch = Watch()
    while ends.value == 0 {
      sleep(1)
      if watch.isStalled([jobs]) { Soak.fail("all jobs make progress: \(counts), \(snapshot)") }
    }
    print("\(counts) in \(seconds(since: start)), no promise broken")
    return 0
  }

  /// Plays the waves, and compares the memory after the last with that after the first ones.
  func play(
    waves: Int, settledAfter first: Int, _ things: (name: String, perWave: Int), _ play: (_ wave: Int) async -> Void
  ) async {
    let before = Memory.resident
    var early: Int?
    for wave in 0..<waves {
      await play(wave)
      if wave + 1 == first { early = Memory.resident }
    }
    guard let before, let early, let late = Memory.resident else { return print("memory: not known here") }
    let (memory, count) = ([before, early, late].map(grouped), grouped(first * things.perWave))
    print("memory: \(memory[0]) kB at first, \(memory[1]) kB after \(count) \(things.name), \(memory[2]) kB after all")
    // What the allocator does with so many tasks at once varies by about this, in kilobytes.
    if late - early > 8_192 { Soak.fail("memory does not grow with the number of \(things.name)") }
  }
}
