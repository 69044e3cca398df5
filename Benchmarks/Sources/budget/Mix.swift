import Mix
import SerialTasks

// MARK: - Reads and writes, mixed

/// Prints what each way costs a call, and how many backend calls it makes of a thousand.
func printMix(rounds: Int) async {
  print("\n1 000 callers, 90 % reads of 100 keys, 10 % writes; the plain actor keeps no order")
  for (title, takes) in [("0", Duration.zero), ("100 µs", .microseconds(100)), ("1 ms", .milliseconds(1))] {
    var found: [Way: [(nanoseconds: Double, calls: Int)]] = [:]
    for _ in 0..<rounds { for way in Way.allCases { found[way, default: []].append(await way.play(takes: takes)) } }
    let serial = found[.serial]!.map(\.nanoseconds)
    for way in Way.allCases {
      let times = found[way]!.map(\.nanoseconds)
      let ratio = median(zip(times, serial).map { $0 / $1 })
      print(
        padded("  backend call of \(title), \(way.rawValue)", 38), padded("\(Int(median(times)))", 9),
        padded("\(found[way]!.map(\.calls).sorted()[rounds / 2]) backend calls", 22),
        "\(rounded(ratio)) × serial")
    }
  }
}

// MARK: - A free repository

func freeReads(_ count: Int) async -> Double {
  let repository = CoalescingTaskExecutor<Int>()
  return await nanoseconds(per: count) {
    for _ in 0..<count { _ = try! await repository.read(7) { await operation() } }
  }
}

func freeWrites(isolation: isolated (any Actor)? = #isolation, calls: Int) async -> Double {
  let repository = CoalescingTaskExecutor<Int>()
  let counter = Counter()
  return await nanoseconds(per: calls) {
    _ = isolation  // or the loop would run on the pool
    for _ in 0..<calls { try! await repository.write { await work(counter) } }
  }
}
