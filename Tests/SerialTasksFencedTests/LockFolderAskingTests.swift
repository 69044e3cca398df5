#if !os(Windows) && !os(WASI)
  import SerialTasksFenced
  import Testing

  /// Whether a holder hears of those that wait for its key, and what they hold.
  @Suite(.watched) struct LockFolderAskingTests {
    let folder: Folder
    let gate = Gate()

    init() throws { folder = try Folder() }

    /// A caller with a client of its own, as another process has.
    private func ask(_ body: @escaping @Sendable () async -> Void = {}) throws -> Task<Void, any Error> {
      let locks = try LockFolder(folder.locks)
      return Task { try await locks.withAccess(to: "k") { _ in await body() } }
    }

    private var next: String { "\(folder.locks)/k.next" }

    /// Fails if: a holder does not hear of another, whether that came before it listened or later, or hears of itself.
    @Test(arguments: [true, false]) func aHolderHearsOfAnother(cameBefore: Bool) async throws {
      let locks = try LockFolder(folder.locks)
      try await locks.withAccess(to: "k") { fence in
        let listening = Log<Void>()
        let heard = { @Sendable in
          try await locks.waitUntilAnotherAsks(for: "k", under: fence)
          listening(())
        }
        let early = cameBefore ? nil : Task { try await heard() }
        for _ in 1...1_000 { await Task.yield() }
        #expect(listening.entries.isEmpty)
        let other = try ask()
        try await until { isLocked(next) }
        if let early { try await early.value } else { try await heard() }
        other.cancel()
        _ = await other.result
      }
    }

    /// Fails if: a holder goes on listening when it is cancelled.
    @Test func aHolderStopsListening() async throws {
      let locks = try LockFolder(folder.locks)
      try await locks.withAccess(to: "k") { fence in
        let listening = Task { try await locks.waitUntilAnotherAsks(for: "k", under: fence) }
        listening.cancel()
        await #expect(throws: CancellationError.self) { try await listening.value }
      }
    }

    #if os(Linux)
      /// Returns when a thread waits for the key's file, and a caller of the client for the thread.
      private func isAwaited(by locks: LockFolder) async throws {
        try await until { locks.abandonedThreads == 0 }
        try await isLockAwaited("\(folder.locks)/k.lock")
      }

      /// ```
      ///   a holds ── b waits, is next ── b leaves: no lock is left ── c is next ── b comes again: heard of through c ── a releases
      /// ```
      /// Fails if: a caller that has left holds a lock, or one that takes over its thread is not heard of, or is not granted the
      /// key.
      @Test func aCallerThatHasLeftHoldsNoLock() async throws {
        let (holder, mine) = (try ask { [gate] in await gate.pass() }, try LockFolder(folder.locks))
        await gate.arrived()
        let waiting = Task { try await mine.withAccess(to: "k") { _ in } }
        try await isAwaited(by: mine)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(!isLocked(next) && mine.abandonedThreads == 1)
        let again = Task { try await mine.withAccess(to: "k") { _ in } }
        // The thread of the one that left waits for it, and is next again.
        try await until { mine.abandonedThreads == 0 }
        #expect(isLocked(next))
        gate.open()
        try await again.value
        try await holder.value
        try await mine.withAccess(to: "k") { _ in }
      }

      /// Fails if: the next one is kept from its place by one that left, or two hold the key.
      @Test func anotherIsNextWhenOneHasLeft() async throws {
        let (holder, mine) = (try ask { [gate] in await gate.pass() }, try LockFolder(folder.locks))
        await gate.arrived()
        let inside = Log<Int>()
        for _ in 1...20 {
          let waiting = Task { try await mine.withAccess(to: "k") { _ in } }
          try await isAwaited(by: mine)
          waiting.cancel()
          _ = await waiting.result
        }
        #expect(mine.abandonedThreads == 1)
        let calls = try (1...3).map { number in try ask { inside(number) } }
        try await until { isLocked(next) }
        let again = Task { try await mine.withAccess(to: "k") { _ in inside(4) } }
        gate.open()
        for call in calls + [holder, again] { try await call.value }
        #expect(inside.entries.sorted() == [1, 2, 3, 4])
      }
    #endif
  }
#endif
