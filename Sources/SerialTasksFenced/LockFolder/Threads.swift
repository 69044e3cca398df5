#if !os(Windows) && !os(WASI)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// For blocking calls, which must not run on the cooperative pool.
  package final class Threads: Sendable {
    /// Gets the error if there is no thread.
    package typealias Work = @Sendable (Result<Void, LockFolderError>) -> Void
    package typealias Start = @Sendable (_ body: @escaping @Sendable () -> Void) throws(LockFolderError) -> Void

    private struct Queue: Sendable {
      var work: [Work] = []
      var threads = 0
    }

    private let queue = Lock(Queue())
    private let limit: Int
    private let start: Start

    package init(limit: Int, start: @escaping Start = { body throws(LockFolderError) in try Threads.start(body) }) {
      self.limit = limit
      self.start = start
    }

    /// Runs short work on one of a few threads, which end when there is none; never on the caller's.
    package func run(_ work: @escaping Work) {
      let needsThread = queue.withLock { queue in
        queue.work.append(work)
        if queue.threads == limit { return false }
        queue.threads += 1
        return true
      }
      guard needsThread else { return }
      do { try start { [self] in runAll() } } catch { giveUp(error) }
    }

    private func runAll() {
      while let work = next() { work(.success(())) }
    }

    private func next() -> Work? {
      queue.withLock { queue in
        if queue.work.isEmpty {
          queue.threads -= 1
          return nil
        }
        return queue.work.removeFirst()
      }
    }

    /// Leaves waiting work to the other threads, if there are any.
    private func giveUp(_ error: LockFolderError) {
      let left = queue.withLock { queue -> [Work] in
        queue.threads -= 1
        if queue.threads > 0 { return [] }
        defer { queue.work = [] }
        return queue.work
      }
      for work in left { work(.failure(error)) }
    }
  }

  extension Threads {
    private final class Body: Sendable {
      let run: @Sendable () -> Void

      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    package static func start(_ body: @escaping @Sendable () -> Void) throws(LockFolderError) {
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

    /// Safe because the thread gets the object that was retained for it.
    private static func begin(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
      return nil
    }
  }
#endif
