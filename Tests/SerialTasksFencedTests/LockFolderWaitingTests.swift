#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasksFenced
  import Testing

  /// Who waits for a key, what is left of those that leave, and what threads do.
  @Suite(.watched) struct LockFolderWaitingTests {
    let folder: Folder
    /// Two clients, as two processes have.
    let (mine, other): (LockFolder, LockFolder)
    let gate = Gate()

    init() throws {
      folder = try Folder()
      (mine, other) = (try LockFolder(folder.locks), try LockFolder(folder.locks))
    }

    /// ```
    ///   a holds k ── b waits ── a releases k and asks again at once ── b has it ── a has it
    /// ```
    /// Fails if: a process that releases a key can have it again before those that wait for it.
    @Test func whoReleasesStandsBehindWhoWaits() async throws {
      for _ in 1...20 {
        let (gate, log) = (Gate(), Log<String>())
        let a = Task {
          try await mine.withAccess(to: "k") { _ in await gate.pass() }
          try await mine.withAccess(to: "k") { _ in log("a") }
        }
        await gate.waitForArrivals()
        let b = other.ask { log("b") }
        try await until { isLocked(mine.file("next")) }
        gate.open()
        for call in [a, b] { try await call.value }
        #expect(log.entries == ["b", "a"])
      }
    }

    /// A copy of the descriptor, as a process has that was forked, keeps what is not unlocked by hand.
    ///
    /// ```
    ///   a holds k ── b waits, is cancelled, and cannot go on yet ── a ends: b's thread has the lock ── b goes on
    /// ```
    /// Fails if: a lock that came too late for its caller is only closed.
    @Test func aLateLockIsUnlocked() async throws {
      let (path, thread, mine) = (mine.file("lock"), OneThread(), mine)
      let a = await mine.hold(until: gate)
      let b = thread.start { try await mine.withAccess(to: "k") { _ in _ = Issue.record("b was granted access") } }
      try await until { descriptors(of: path).count == 2 }
      thread.hold()
      b.cancel()
      gate.open()
      try await a.value
      try await until { descriptors(of: mine.file("next")).isEmpty && descriptors(of: path).count == 1 }
      let copies = descriptors(of: path).map { dup($0) }
      thread.goOn()
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

    /// ```
    ///   a thread has the lock, and counts ── its caller leaves ── the wait ends without a caller ── another asks
    /// ```
    /// Fails if: a wait that has ended is taken over, and the next caller waits for ever.
    @Test func whoLeavesWhileTheFenceIsCounted() async throws {
      var locking = Duration.zero
      for round in 0..<500 {
        let leaving = mine.ask()
        // It leaves after any part of the time that a key has just taken; not one round knows where it is then.
        let moment = ContinuousClock.now + locking * (round % 25) / 20
        while ContinuousClock.now < moment {}
        leaving.cancel()
        _ = await leaving.result
        locking = try await ContinuousClock().measure { _ = try await mine.number() }
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

    #if os(Linux)
      /// A caller of this client that leaves when a thread waits for the key's file; the thread waits on.
      private func leave() async throws {
        let waiting = mine.ask()
        try await until { mine.abandonedThreads == 0 }
        try await isLockAwaited(mine.file("lock"))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(mine.abandonedThreads == 1)
      }

      /// ```
      ///   a holds ── b waits, is next ── b leaves: no lock is left ── b comes again, and is next again ── a releases
      /// ```
      /// Fails if: a caller that has left holds a lock, or one that takes over its thread is not heard of, or is not granted the
      /// key.
      @Test func aCallerThatHasLeftHoldsNoLock() async throws {
        let holder = await other.hold(until: gate)
        try await leave()
        #expect(!isLocked(mine.file("next")))
        let again = mine.ask()
        // The thread of the one that left waits for it, and is next again.
        try await until { mine.abandonedThreads == 0 }
        #expect(isLocked(mine.file("next")))
        gate.open()
        for call in [again, holder, mine.ask()] { try await call.value }
      }

      /// Fails if: each caller that leaves leaves another thread behind, the next one is kept from its place by one that left, or two
      /// hold the key.
      @Test func anotherIsNextWhenOneHasLeft() async throws {
        let (holder, inside) = (await other.hold(until: gate), Log<Int>())
        for _ in 1...20 { try await leave() }
        let calls = (1...3).map { number in other.ask { inside(number) } }
        try await until { isLocked(mine.file("next")) }
        let again = mine.ask { inside(4) }
        gate.open()
        for call in calls + [holder, again] { try await call.value }
        #expect(inside.entries.sorted() == [1, 2, 3, 4])
      }

      /// ```
      ///   a holds k ── b waits, and is cancelled ── a ends: b's thread has the lock, and gives it back ── c locks it anew
      /// ```
      /// Fails if: the next caller takes over a wait that has ended.
      @Test func theThreadOfAWaiterThatLeftEnds() async throws {
        let a = await mine.hold(until: gate)
        try await leave()
        gate.open()
        try await a.value
        try await until { mine.abandonedThreads == 0 && descriptors(of: mine.file("lock")).isEmpty }
        #expect(try await mine.number() > 0)
      }

      /// ```
      ///   a holds k ── b waits for its file ── the file is removed ── a ends ── b locks what is there now
      /// ```
      /// Fails if: a waiter is granted a key by the lock of a file that no other process would lock.
      @Test func aWaiterDoesNotLockARemovedFile() async throws {
        let (a, mine) = (await mine.hold(until: gate), mine)
        let b = Task { try await mine.withAccess(to: "k") { try $0.check() } }
        try await isLockAwaited(mine.file("lock"))
        try FileManager.default.removeItem(atPath: mine.file("lock"))
        gate.open()
        for call in [a, b] { try await call.value }
      }
    #endif
  }
#endif
