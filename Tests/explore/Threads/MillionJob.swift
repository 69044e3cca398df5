import SerialTasks

/// One job of a million, asked for in one of the three ways, and what became of it.
struct MillionJob {
  let number: Int
  let producer: Int
  let latest: Exclusive<[Int]>
  private let runs = Counter()
  private let isDoomed = Counter()
  private var call: Call?

  private enum Call {
    case enqueued(Task<Void, any Error>)
    case submitted(SubmittedJob<Void>)
  }

  init(number: Int, producer: Int, latest: Exclusive<[Int]>) {
    self.number = number
    self.producer = producer
    self.latest = latest
  }

  /// Asks for the job; its place is taken when this returns.
  mutating func ask(_ executor: SerialTaskExecutor, _ random: inout SplitMix) {
    let (number, producer, latest, runs) = (number, producer, latest, runs)
    let job: @Sendable () async throws -> Void = {
      runs.up()
      if latest.value[producer] >= number { Soak.fail("first in, first out by place") }
      latest.value[producer] = number
    }
    switch random.below(4) {
    case 0: call = .submitted(executor.submit(job))
    case 1: call = .submitted(executor.submitDetached(job))
    // An immediate task runs to its first suspension here and now, and a place is taken before that.
    default: call = .enqueued(Task.immediate { try await executor.enqueue(job) })
    }
  }

  func cancel() {
    isDoomed.up()
    switch call {
    case .enqueued(let task): task.cancel()
    case .submitted(let handle): handle.cancel()
    case nil: break
    }
  }

  /// Waits for the answer, and checks it.
  ///
  /// - Returns: Whether the job ran.
  func settled() async -> Bool {
    let result: Result<Void, any Error>
    switch call {
    case .enqueued(let task): result = await task.result
    case .submitted(let handle): result = await handle.result
    case nil: return false
    }
    switch result {
    case .success:
      if runs.value != 1 { Soak.fail("each job runs once, and this one ran \(runs.value) times") }
      return true
    case .failure(let error):
      if runs.value != 0 { Soak.fail("a rejected job never ran") }
      if !(error is CancellationError) || isDoomed.value == 0 {
        Soak.fail("no job is rejected for what did not happen")
      }
      return false
    }
  }
}
