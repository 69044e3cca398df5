import Benchmark
import CoalescingTasks
import Comparing

/// Times are shown and not compared: no threshold on them holds on a busy machine.
///
/// Names have no spaces, because the names of
/// the files of thresholds have none.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(metrics: [.wallClock], scalingFactor: .kilo, maxDuration: .seconds(2))

  Benchmark("free-line") { benchmark in
    let executor = SerialTaskExecutor()
    for _ in benchmark.scaledIterations { try! await executor.enqueue { await job() } }
  }
  Benchmark("1000-callers-at-once") { benchmark in
    let executor = SerialTaskExecutor()
    await withTaskGroup { group in
      for _ in benchmark.scaledIterations { group.addTask { try! await executor.enqueue { await job() } } }
    }
  }
  Benchmark("1000-submitted-jobs") { benchmark in
    let executor = SerialTaskExecutor()
    executor.pause()
    for _ in benchmark.scaledIterations { executor.submit { await job() } }
    executor.resume()
    try! await executor.drain()
  }
  Benchmark("leading-alone") { benchmark in
    let coalescer = TaskCoalescer<Int, Int>()
    for _ in benchmark.scaledIterations { _ = try! await coalescer.value(for: 7) { 42 } }
  }
  addWeighings()
}

@inline(never)
func job() async {}
