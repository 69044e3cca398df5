import SerialTasks
import Synchronization

// MARK: - Reads and writes, mixed

/// A backend that takes its time, and counts.
actor Backend {
  let takes: Duration
  private(set) var calls = 0

  init(takes: Duration) { self.takes = takes }

  func call() async -> Int {
    calls += 1
    if takes > .zero { try? await Task.sleep(for: takes) }
    return calls
  }
}

/// One of a thousand callers: one in ten writes, the others read one of a hundred keys.
struct Call: Sendable {
  let key: Int
  let isWrite: Bool

  /// The same calls in every run.
  static let all = {
    var random: UInt64 = 1
    return (0..<1_000).map { _ in
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Call(key: Int(random >> 33 % 100), isWrite: random >> 48 % 10 == 0)
    }
  }()
}

enum Way: String, CaseIterable {
  case coalescing, serial, actor

  /// Plays all calls at once; returns the time of each, and how often the backend was called.
  func play(takes: Duration) async -> (nanoseconds: Double, calls: Int) {
    let backend = Backend(takes: takes)
    let (repository, line) = (CoalescingTaskExecutor<Int>(), SerialTaskExecutor())
    let nanoseconds = await nanoseconds(per: Call.all.count) {
      await withTaskGroup { group in
        for call in Call.all {
          group.addTask {
            switch self {
            case .coalescing where call.isWrite: _ = try! await repository.write { await backend.call() }
            case .coalescing: _ = try! await repository.read(call.key) { await backend.call() }
            case .serial: _ = try! await line.enqueue { await backend.call() }
            case .actor: _ = await backend.call()
            }
          }
        }
      }
    }
    return (nanoseconds, await backend.calls)
  }
}

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
