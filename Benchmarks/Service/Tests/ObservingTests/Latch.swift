import SerialTasks

/// Opens once: a paused executor that has no other use.
struct Latch: Sendable {
  private let line = SerialTaskExecutor()

  init() { line.pause() }
  func open() { line.resume() }
  func wait() async throws { try await line.enqueue {} }
}
