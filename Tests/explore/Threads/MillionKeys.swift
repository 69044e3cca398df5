import SerialTasks
@_spi(Testing) import SerialTasksTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A million keys of one executor, each with a few jobs and then never used again, some over several keys: no growth in memory.
struct MillionKeys {
  private let executor = KeyedSerialTaskExecutor<Int>(name: "million")
  private let ran = Counter()

  private static let waves = 1_000
  private static let keysPerWave = 1_000
  /// The memory after so many waves is what the end is compared with.
  private static let settledAfter = 100
  /// In kilobytes; what the allocator does with so many tasks at once varies by about this.
  private static let mostGrowth = 8_192

  static func run() -> Int32 {
    let (million, ends, start) = (MillionKeys(), Counter(), ContinuousClock.now)
    Task.detached {
      await million.run()
      ends.up()
    }
    var watch = Watch()
    while ends.value == 0 {
      sleep(1)
      if watch.isStalled([million.ran.value]) { Soak.fail("all jobs make progress: \(million.executor.snapshot)") }
    }
    print("\(grouped(million.ran.value)) jobs ran in \(seconds(since: start)), no promise broken")
    return 0
  }

  private func run() async {
    let before = Memory.resident
    var early: Int?
    for wave in 0..<MillionKeys.waves {
      await play(wave * MillionKeys.keysPerWave)
      if wave + 1 == MillionKeys.settledAfter { early = Memory.resident }
    }
    let (busy, room) = executor.table
    print("table: \(busy) keys, room for \(room)")
    if busy > 0 || room > 64 { Soak.fail("an idle key costs nothing") }
    guard let before, let early, let late = Memory.resident else { return print("memory: not known here") }
    let keys = grouped(MillionKeys.settledAfter * MillionKeys.keysPerWave)
    let memory = [before, early, late].map(grouped)
    print("memory: \(memory[0]) kB at first, \(memory[1]) kB after \(keys) keys, \(memory[2]) kB after all")
    if late - early > MillionKeys.mostGrowth { Soak.fail("memory does not grow with the number of keys") }
  }

  /// One wave: every key is new, half of them have a submitted job too, and some share a job with their neighbours.
  private func play(_ first: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for key in first..<first + MillionKeys.keysPerWave {
        if key.isMultiple(of: 2) { executor.submit(for: key) { _ = ran.up() } }
        if key.isMultiple(of: 3) { executor.submit(touching: [key + 1, key]) { _ = ran.up() } }
        if key.isMultiple(of: 5) {
          group.addTask { try! await executor.enqueue(touching: [key, key + 1, key + 2]) { _ = ran.up() } }
        }
        group.addTask { try! await executor.enqueue(for: key) { _ = ran.up() } }
      }
    }
    try! await executor.drain()
  }
}
