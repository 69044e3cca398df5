#if !os(Windows) && !os(WASI)
  import Dispatch
  import Foundation
  import SerialTasksFenced
  import Testing

  /// What a folder of locked files holds open, and for how long.
  @Suite(.watched) struct LockFolderHandleTests {
    let folder: Folder
    let locks: LockFolder

    init() throws {
      folder = try Folder()
      locks = try LockFolder(folder.locks)
    }

    private var path: String { "\(locks.path)/k.lock" }

    /// ```
    ///   a turn keeps its fence ── it has ended ── the next turn runs: the kept fence is lost
    /// ```
    /// Fails if: a fence that was kept longer than its turn passes for held, or keeps the file open.
    @Test func aKeptFenceIsLost() async throws {
      let kept = Log<Fence>()
      try await locks.withAccess(to: "k") { fence in
        try fence.check()
        kept(fence)
      }
      let lost = AccessError.lost(number: kept.entries[0].number, reason: "it was released")
      #expect(throws: lost) { try kept.entries[0].check() }
      try await until { descriptors(of: path).isEmpty }
      try await locks.withAccess(to: "k") { fence in
        try fence.check()
        #expect(throws: lost) { try kept.entries[0].check() }
      }
    }

    /// Fails if: a program that is started in a job inherits the lock, and keeps it when its holder was killed.
    @Test func aStartedProgramDoesNotInheritTheLock() async throws {
      try await locks.withAccess(to: "k") { _ in
        let open = descriptors(of: path)
        #expect(!open.isEmpty && open.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
      }
    }

    /// A copy of the descriptor, as a process has that was forked, keeps what is not unlocked by hand.
    ///
    /// ```
    ///   a holds k ── b waits, is cancelled, and cannot go on yet ── a ends: b's thread has the lock ── b goes on
    /// ```
    /// Fails if: a lock that came too late for its caller is only closed.
    @Test func aLateLockIsUnlocked() async throws {
      let (gate, busy, locks) = (Gate(), Busy(), locks)
      let a = Task { try await locks.withAccess(to: "k") { _ in await gate.pass() } }
      await gate.arrived()
      let b = Task { try await busy.ask(locks) }
      try await until { descriptors(of: path).count == 2 }
      busy.queue.suspend()
      b.cancel()
      gate.open()
      try await a.value
      try await until { descriptors(of: "\(locks.path)/k.next").isEmpty && descriptors(of: path).count == 1 }
      let copies = descriptors(of: path).map { dup($0) }
      busy.queue.resume()
      await #expect(throws: CancellationError.self) { try await b.value }
      let other = open(path, O_RDWR | O_CLOEXEC)
      // The thread may be about to say that it has the lock; then it unlocks it itself.
      var looks = 0
      while flock(other, LOCK_EX | LOCK_NB) != 0, looks < 1_000 {
        looks += 1
        await Task.yield()
      }
      #expect(flock(other, LOCK_EX | LOCK_NB) == 0 && copies.count == 1)
      for file in copies + [other] { close(file) }
    }

    /// An actor whose thread can be kept busy.
    private actor Busy {
      final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "busy")

        func enqueue(_ job: consuming ExecutorJob) {
          let job = UnownedJob(job)
          queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
      }

      private let executor = Executor()

      nonisolated var queue: DispatchQueue { executor.queue }

      nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

      func ask(_ locks: LockFolder) async throws {
        try await locks.withAccess(to: "k") { _ in Issue.record("a cancelled caller was granted access") }
      }
    }

    /// Fails if: work that blocks is done on the caller's thread if there is no other, or its caller is told nothing.
    @Test func noThreadCanBeMade() {
      let error = LockFolderError.system(call: "pthread_create", path: "", code: EAGAIN)
      let threads = Threads(limit: 2) { _ throws(LockFolderError) in throw error }
      let log = Log<Result<Void, LockFolderError>>()
      for _ in 1...3 { threads.run { log($0) } }
      #expect(log.entries.count == 3)
      for result in log.entries { #expect(throws: error) { try result.get() } }
    }
  }
#endif
