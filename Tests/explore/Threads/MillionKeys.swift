import SerialTasks
@_spi(Testing) import SerialTasksTesting

/// A million keys of one executor, each with a few jobs and then never used again, some over several keys: no growth in memory.
struct MillionKeys: LongRun {
  private let executor = KeyedSerialTaskExecutor<Int>(name: "million")
  private let ran = Counter()

  private static let keysPerWave = 1_000

  var jobs: Int { ran.value }
  var counts: String { "\(grouped(jobs)) jobs ran" }
  var snapshot: ExecutorSnapshot { executor.snapshot }

  func run() async {
    await play(waves: 1_000, settledAfter: 100, ("keys", MillionKeys.keysPerWave)) {
      await play($0 * MillionKeys.keysPerWave)
    }
    let (busy, room) = executor.table
    print("table: \(busy) keys, room for \(room)")
    if busy > 0 || room > 64 { Soak.fail("an idle key costs nothing") }
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
