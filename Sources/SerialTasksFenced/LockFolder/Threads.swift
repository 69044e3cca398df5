import SerialTasks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Threads for calls that block, which the cooperative pool must not run.
final class Threads: Sendable {
  private struct Queue: Sendable {
    var work: [@Sendable () -> Void] = []
    var threads = 0
  }

  private let queue = Lock(Queue())
  private let limit: Int

  /// - Parameter limit: The most threads that ``run(_:)`` uses at a time.
  init(limit: Int) { self.limit = limit }

  /// Runs short work on one of a few threads, which end when there is no more; on the caller's if none can be made.
  func run(_ work: @escaping @Sendable () -> Void) {
    let needsThread = queue.withLock { queue in
      queue.work.append(work)
      if queue.threads == limit { return false }
      queue.threads += 1
      return true
    }
    guard needsThread else { return }
    do { try Threads.start { [self] in runAll() } } catch { runAll() }
  }

  private func runAll() {
    while let work = next() { work() }
  }

  private func next() -> (@Sendable () -> Void)? {
    queue.withLock { queue in
      if queue.work.isEmpty {
        queue.threads -= 1
        return nil
      }
      return queue.work.removeFirst()
    }
  }
}

// MARK: - One thread

extension Threads {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs the body on a thread of its own, however long it blocks.
  static func start(_ body: @escaping @Sendable () -> Void) throws(LockFolderError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 512 * 1024)
    let body = Unmanaged.passRetained(Body(body))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let code = pthread_create(&thread, &attributes, { Threads.begin($0) }, body.toOpaque())
    if code != 0 {
      body.release()
      throw .system(call: "pthread_create", path: "", code: code)
    }
  }

  /// Safe because a thread is given what was retained for it.
  private static func begin(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
    return nil
  }
}
