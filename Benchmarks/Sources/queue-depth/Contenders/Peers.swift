/// A queue of another package, measured with `SERIALTASKS_PEERS=1`.
///
/// How its callers leave is not measured, because it does not tell how many wait.
protocol Peer: Contender {}

#if PEERS
  import AsyncQueue
  import AsyncQueues
  import Queue
  import Semaphore

  /// `FIFOQueue` of dfed/swift-async-queue.
  struct FIFOQueuePeer: Submitting, Peer {
    static let title = "FIFOQueue of swift-async-queue"
    private let queue = FIFOQueue()

    nonisolated(nonsending) func enqueue(_ work: Work) async { await Task(on: queue) { await work() }.value }

    func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
      Task(on: queue) {
        await work()
        done()
      }
    }
  }

  /// `AsyncQueue` of groue/AsyncQueues.
  struct AsyncQueuesPeer: Submitting, Peer {
    static let title = "AsyncQueue of AsyncQueues"
    private let queue = AsyncQueues.AsyncQueue()

    nonisolated(nonsending) func enqueue(_ work: Work) async { await queue.perform { await work() } }

    func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
      queue.addTask {
        await work()
        done()
      }
    }
  }

  /// `AsyncQueue` of mattmassicotte/Queue.
  struct QueuePeer: Submitting, Peer {
    static let title = "AsyncQueue of Queue"
    private let queue = Queue.AsyncQueue()

    nonisolated(nonsending) func enqueue(_ work: Work) async { await queue.addOperation { await work() }.value }

    func submit(_ work: Work, then done: @escaping @Sendable () -> Void) {
      queue.addOperation {
        await work()
        done()
      }
    }
  }

  /// `AsyncSemaphore` of groue/Semaphore, with room for one; a cancelled caller leaves, as those of the library do.
  struct SemaphorePeer: Peer {
    static let title = "AsyncSemaphore of Semaphore"
    private let semaphore = AsyncSemaphore(value: 1)

    nonisolated(nonsending) func enqueue(_ work: Work) async {
      try! await semaphore.waitUnlessCancelled()
      await work()
      semaphore.signal()
    }
  }

  let peers: [any Contender.Type] = [
    FIFOQueuePeer.self, AsyncQueuesPeer.self, QueuePeer.self, SemaphorePeer.self,
  ]
#else
  let peers: [any Contender.Type] = []
#endif
