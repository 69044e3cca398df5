/// An `AsyncStream` of jobs, drained by a task.
final class StreamQueue: Submitting {
  static let title = "AsyncStream"
  private let jobs: AsyncStream<@Sendable () async -> Void>.Continuation

  init() {
    let (stream, jobs) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    self.jobs = jobs
    Task { for await job in stream { await job() } }
  }

  deinit { jobs.finish() }

  nonisolated(nonsending) func enqueue(_ work: Work) async {
    await withCheckedContinuation { done in submit(work) { done.resume() } }
  }

  func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
    jobs.yield {
      await work()
      done()
    }
  }
}
