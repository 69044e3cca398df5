import Benchmark
import Comparing
import SerialTasks

extension BenchmarkMetric {
  /// What waits, in bytes: the only thing here that is the same on a busy machine.
  static let bytesPerJob = BenchmarkMetric.custom(
    "Bytes per waiting job", polarity: .prefersSmaller, useScalingFactor: false)
}

private let waiting = 10_000

/// Memory of jobs that wait, with committed thresholds.
func addWeighings() {
  let configuration = Benchmark.Configuration(
    metrics: [.bytesPerJob], maxDuration: .seconds(10), maxIterations: 5,
    thresholds: [.bytesPerJob: .init(relative: [.p90: 5], absolute: [:])])

  Benchmark("memory-of-a-waiting-submitted-job", configuration: configuration) { benchmark in
    let executor = SerialTaskExecutor()
    executor.pause()
    let bytes = await Heap.growth { for _ in 0..<waiting { executor.submit { await job() } } }
    executor.resume()
    try! await executor.drain()
    benchmark.measurement(.bytesPerJob, (bytes ?? 0) / waiting)
  }
  Benchmark("memory-of-a-waiting-caller", configuration: configuration) { benchmark in
    let executor = SerialTaskExecutor()
    executor.pause()
    await withTaskGroup { group in
      let bytes = await Heap.growth {
        for _ in 0..<waiting { group.addTask { try! await executor.enqueue { await job() } } }
        while executor.snapshot.waiting < waiting { await Task.yield() }
      }
      executor.resume()
      benchmark.measurement(.bytesPerJob, (bytes ?? 0) / waiting)
    }
  }
}
