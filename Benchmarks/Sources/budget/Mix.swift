import CoalescingTasks
import Mix

// MARK: - Reads and writes, mixed

/// Prints what each way costs a call, and how many backend calls it makes of a thousand.
func printMix(rounds: Int) async {
  print("\n1 000 callers, 90 % reads of 100 keys, 10 % writes; the plain actor keeps no order")
  let settings = [
    ("0", Duration.zero), ("100 µs", .microseconds(100)), ("1 ms", .milliseconds(1)), ("20 ms", .milliseconds(20)),
  ]
  for (title, takes) in settings {
    // One call after the other takes 20 s there.
    let ways = takes < .milliseconds(20) ? Way.allCases : [.touching, .actor]
    var found: [Way: [(nanoseconds: Double, calls: Int)]] = [:]
    for _ in 0..<rounds { for way in ways { found[way, default: []].append(await way.play(takes: takes)) } }
    let chain = takes / .nanoseconds(1) * Double(Call.longestChain) / Double(Call.all.count)
    let serial = found[.serial]?.map(\.nanoseconds)
    for way in ways {
      let times = found[way]!.map(\.nanoseconds)
      let beside =
        serial.map { "\(rounded(median(zip(times, $0).map { $0 / $1 }))) × serial" }
        ?? "\(rounded(median(times) / chain)) × the longest chain of conflicting calls (\(Call.longestChain))"
      print(
        padded("  backend call of \(title), \(way.rawValue)", 38), padded("\(Int(median(times)))", 9),
        padded("\(found[way]!.map(\.calls).sorted()[rounds / 2]) backend calls", 22),
        beside)
    }
  }
}

// MARK: - A free repository

/// Jobs over so many keys, each of which is idle.
func freeKeySets(_ keys: Int, _ count: Int) async -> Double {
  let executor = KeyedSerialTaskExecutor<Int>()
  let counter = Counter()
  return await nanoseconds(per: count) {
    for first in 0..<count { try! await executor.enqueue(touching: first..<first + keys) { await work(counter) } }
  }
}

/// Calls for one free key each, while the job of another key runs: so none has the line as a whole.
func freeKeysBesideAnother(_ count: Int) async -> Double {
  let executor = KeyedSerialTaskExecutor<Int>()
  let (counter, parked) = (Counter(), Parked())
  let other = Task { try await executor.enqueue(for: -1) { await parked.park() } }
  while parked.count == 0 { await Task.yield() }
  let time = await nanoseconds(per: count) {
    for key in 0..<count { try! await executor.enqueue(for: key) { await work(counter) } }
  }
  parked.resumeAll()
  try! await other.value
  return time
}

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
