#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasksFenced
  import Testing

  /// What a folder of locked files does in one process.
  @Suite(.watched) struct LockFolderTests {
    let folder: Folder
    let locks: LockFolder

    init() throws {
      folder = try Folder()
      locks = try LockFolder(folder.locks)
    }

    private func number(_ key: String, _ locks: LockFolder? = nil) async throws -> UInt64 {
      let log = Log<UInt64>()
      try await (locks ?? self.locks).withAccess(to: key) { log($0.number) }
      return try #require(log.entries.first)
    }

    /// Fails if: a key is no name of a file, or two keys share one.
    @Test func anyStringIsAKey() async throws {
      let keys = [
        "", ".", "..", "/", "a/b", "a", "A", "%41", "=", "a.lock", "\0", "\n", "ünï", "e\u{301}", "👩‍👩‍👧", "a b", "~",
        String(repeating: "x", count: 120), String(repeating: "x", count: 121), String(repeating: "/", count: 10_000),
        String(repeating: "/", count: 10_001),
      ]
      #expect(Set(keys.map { FileName(of: $0).text.lowercased() }).count == keys.count)
      for key in keys {
        let first = try await number(key)
        // Held at the same time, or one of them would wait for ever.
        try await locks.withAccess(to: key) { fence in
          #expect(fence.number == first + 1)
          for other in keys where other != key { _ = try await number(other) }
        }
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.locks)
      #expect(files.count == 2 * keys.count && files.allSatisfy { $0.utf8.count <= FileName.longest + 5 })
    }

    /// Fails if: the number is not in the file, whole, when the turn begins.
    @Test func theCounterIsInTheFileBeforeTheTurn() async throws {
      for _ in 1...3 {
        try await locks.withAccess(to: "k") { fence in
          let bytes = try Data(contentsOf: URL(filePath: "\(folder.locks)/k.lock"))
          #expect(FenceCounter(Array(bytes))?.number == fence.number)
        }
      }
      let again = try await number("k", LockFolder(folder.locks))
      #expect(try await number("k") == again + 1)
    }

    /// Fails if: a removed counter starts again below the numbers that it gave.
    @Test func aRemovedCounterGoesOnAboveItsNumbers() async throws {
      var last = try await number("k")
      for _ in 1...5 {
        try FileManager.default.removeItem(atPath: "\(folder.locks)/k.lock")
        let next = try await number("k")
        #expect(next > last)
        last = next
      }
    }

    /// Fails if: a holder does not notice that its file is not the one that others lock.
    @Test func aReplacedFileIsALoss() async throws {
      try await locks.withAccess(to: "k") { fence in
        try fence.check()
        try FileManager.default.removeItem(atPath: "\(folder.locks)/k.lock")
        #expect(throws: AccessError.self) { try fence.check() }
        #expect(try await number("k") > fence.number)
        #expect(throws: AccessError.self) { try fence.check() }
      }
    }

    /// ```
    ///   a holds k ── b waits, and is cancelled: it leaves its thread behind ── c takes it over ── a ends: c runs
    /// ```
    /// Fails if: a waiter cannot leave, or each of them leaves another thread behind.
    @Test func aWaiterLeaves() async throws {
      let (gate, locks) = (Gate(), locks)
      let a = Task { try await locks.withAccess(to: "k") { _ in await gate.pass() } }
      await gate.arrived()
      for _ in 1...20 {
        let b = Task.immediate { try await locks.withAccess(to: "k") { _ in Issue.record("b was granted access") } }
        b.cancel()
        await #expect(throws: CancellationError.self) { try await b.value }
      }
      #expect(locks.abandonedThreads <= 1)
      let c = Task.immediate { try await locks.withAccess(to: "k") { _ in } }
      gate.open()
      try await a.value
      try await c.value
      try await until { locks.abandonedThreads == 0 }
      #expect(try await number("k") > 0)
    }

    /// Returns when a thread waits for the key's file, and is the next to have it.
    private func isAwaited(_ key: String) async throws {
      let file = open("\(locks.path)/\(key).next", O_RDWR | O_CREAT, 0o666)
      defer { close(file) }
      try await until {
        if flock(file, LOCK_EX | LOCK_NB) != 0 { return true }
        _ = flock(file, LOCK_UN)
        return false
      }
    }

    /// ```
    ///   a holds k ── b waits ── a releases k and asks again at once ── b has it ── a has it
    /// ```
    /// Fails if: a process that releases a key can have it again before those that wait for it.
    @Test func whoReleasesStandsBehindWhoWaits() async throws {
      for _ in 1...20 {
        let (gate, log, locks) = (Gate(), Log<String>(), locks)
        let a = Task {
          try await locks.withAccess(to: "k") { _ in await gate.pass() }
          try await locks.withAccess(to: "k") { _ in log("a") }
        }
        await gate.arrived()
        let b = Task { try await LockFolder(folder.locks).withAccess(to: "k") { _ in log("b") } }
        try await isAwaited("k")
        gate.open()
        try await a.value
        try await b.value
        #expect(log.entries == ["b", "a"])
      }
    }

    #if os(Linux)
      /// ```
      ///   a holds k ── b waits for its file ── the file is removed ── a ends ── b locks what is there now
      /// ```
      /// Fails if: a waiter is granted a key by the lock of a file that no other process would lock.
      @Test func aWaiterDoesNotLockARemovedFile() async throws {
        let (gate, locks) = (Gate(), locks)
        let a = Task { try await locks.withAccess(to: "k") { _ in await gate.pass() } }
        await gate.arrived()
        let b = Task { try await locks.withAccess(to: "k") { try $0.check() } }
        try await isLockAwaited("\(locks.path)/k.lock")
        try FileManager.default.removeItem(atPath: "\(locks.path)/k.lock")
        gate.open()
        try await a.value
        try await b.value
      }

      /// ```
      ///   a holds k ── b waits, and is cancelled ── a ends: b's thread has the lock, and gives it back ── c locks it anew
      /// ```
      /// Fails if: the next caller takes over a wait that has ended.
      @Test func theThreadOfAWaiterThatLeftEnds() async throws {
        let (gate, locks) = (Gate(), locks)
        let a = Task { try await locks.withAccess(to: "k") { _ in await gate.pass() } }
        await gate.arrived()
        let b = Task { try await locks.withAccess(to: "k") { _ in } }
        try await isAwaited("k")
        try await isLockAwaited("\(locks.path)/k.lock")
        b.cancel()
        await #expect(throws: CancellationError.self) { try await b.value }
        #expect(locks.abandonedThreads == 1)
        gate.open()
        try await a.value
        try await until { locks.abandonedThreads == 0 && descriptors(of: "\(locks.path)/k.lock").isEmpty }
        #expect(try await number("k") > 0)
      }
    #endif

    /// Fails if: a folder that cannot be written to hangs its callers, or keeps anything locked.
    @Test func missingRights() async throws {
      let isSuperuser = geteuid() == 0
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.locks)
      if !isSuperuser {
        await #expect(throws: LockFolderError.system(call: "open", path: "\(locks.path)/k.next", code: EACCES)) {
          _ = try await number("k")
        }
        #expect(throws: LockFolderError.self) { try LockFolder(folder.locks) }
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.locks)
      #expect(try await number("k") > 0)
    }

    /// Fails if: a number is made up where the last one is not known, or other keys suffer.
    @Test(arguments: ["", "garbage", String(repeating: "0", count: 1_024)])
    func aCounterThatCannotBeRead(_ text: String) async throws {
      _ = try await number("k")
      let file = URL(filePath: "\(locks.path)/k.lock")
      let before = try Data(contentsOf: file)
      try Data(text.utf8).write(to: file)
      for _ in 1...2 {
        await #expect(throws: LockFolderError.unreadableCounter(path: file.path)) { _ = try await number("k") }
      }
      #expect(try await number("other") > 0)
      try before.write(to: file)
      #expect(try await number("k") > 0)
    }

    /// Fails if: a folder that is gone is made again by a request, or its error reaches no job.
    @Test func aFolderThatIsGone() async throws {
      let executor = FencedSerialTaskExecutor(name: "fenced", access: locks)
      let first = try await executor.enqueue(for: "k") { $0.number }
      try await executor.drain()
      try FileManager.default.moveItem(atPath: folder.locks, toPath: "\(folder.path)/away")
      await #expect(throws: LockFolderError.system(call: "open", path: "\(locks.path)/k.next", code: ENOENT)) {
        try await executor.enqueue(for: "k") { _ in }
      }
      try FileManager.default.moveItem(atPath: "\(folder.path)/away", toPath: folder.locks)
      #expect(try await executor.enqueue(for: "k") { $0.number } == first + 1)
    }

    /// ```
    ///   a thread has the lock, and counts ── its caller leaves ── the wait ends without a caller ── another asks
    /// ```
    /// Fails if: a wait that has ended is taken over, and the next caller waits for ever.
    @Test func whoLeavesWhileTheFenceIsCounted() async throws {
      for round in 0..<500 {
        let leaving = Task { try await locks.withAccess(to: "k") { _ in } }
        // It leaves after any time in which a key is locked; not one round knows where it is then.
        let moment = ContinuousClock.now + .microseconds(2 * round)
        while ContinuousClock.now < moment {}
        leaving.cancel()
        _ = await leaving.result
        #expect(try await number("k") > 0)
      }
    }

    /// Fails if: ten thousand keys at once need a thread each, or lose one.
    @Test func manyKeysAtOnce() async throws {
      let executor = FencedSerialTaskExecutor(name: "fenced", access: locks)
      let jobs = (0..<500).map { key in executor.submit(for: "\(key)") { $0.number } }
      for job in jobs { #expect(try await job.value > 0) }
      try await executor.drain()
    }
  }
#endif
