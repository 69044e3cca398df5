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

    /// Fails if: a key is no name of a file, or two keys share one.
    @Test func anyStringIsAKey() async throws {
      let keys = [
        "", ".", "..", "/", "a/b", "a", "A", "%41", "=", "a.lock", "\0", "\n", "ünï", "e\u{301}", "👩‍👩‍👧", "a b", "~",
        String(repeating: "x", count: 120), String(repeating: "x", count: 121), String(repeating: "/", count: 10_000),
        String(repeating: "/", count: 10_001),
      ]
      #expect(Set(keys.map { FileName(of: $0).text.lowercased() }).count == keys.count)
      for key in keys {
        let first = try await locks.number(key)
        // Held at the same time, or one of them would wait for ever.
        try await locks.withAccess(to: key) { fence in
          #expect(fence.number == first + 1)
          for other in keys where other != key { _ = try await locks.number(other) }
        }
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.locks)
      #expect(files.count == 2 * keys.count && files.allSatisfy { $0.utf8.count <= FileName.longest + 5 })
    }

    /// Fails if: the number is not in the file, whole, when the turn begins, or a new counter does not begin with the time of day, in
    /// microseconds (here those of a day in 2023), and so above what was granted before the file was removed; or a program that is started in a turn inherits the lock, and
    /// keeps it when its holder was killed.
    @Test func whatATurnFinds() async throws {
      for _ in 1...3 {
        try await locks.withAccess(to: "k") { fence in
          let bytes = try Data(contentsOf: URL(filePath: locks.file("lock")))
          #expect(FenceCounter(Array(bytes))?.number == fence.number && fence.number > 1_700_000_000_000_000)
          let open = descriptors(of: locks.file("lock"))
          #expect(!open.isEmpty && open.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        }
      }
    }

    /// Fails if: a fence that was kept longer than its turn keeps the file open.
    @Test func aKeptFenceKeepsNoFile() async throws {
      let kept = Log<Fence>()
      try await locks.withAccess(to: "k") { kept($0) }
      try await until { descriptors(of: locks.file("lock")).isEmpty }
      let lost = AccessError.lost(number: kept.entries[0].number, reason: "it was released")
      #expect(throws: lost) { try kept.entries[0].check() }
    }

    /// Fails if: a folder that cannot be written to hangs its callers, or keeps anything locked.
    @Test func missingRights() async throws {
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.locks)
      // The superuser has every right.
      if geteuid() != 0 {
        await #expect(throws: LockFolderError.system(call: "open", path: locks.file("next"), code: EACCES)) {
          try await locks.number()
        }
        #expect(throws: LockFolderError.self) { try LockFolder(folder.locks) }
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.locks)
      #expect(try await locks.number() > 0)
    }

    private static let full = FenceCounter(startingAfter: .max).file
    /// With a second slot that is damaged.
    private static let damaged = full.prefix(FenceCounter.slotSize) + [0] + full.dropFirst(FenceCounter.slotSize + 1)
    private static let counters = [[], Array("garbage".utf8), Array(repeating: 48, count: 1_024), full, Array(damaged)]

    /// Fails if: a number is made up where the last one is not known, the counter overflows and ends the process, or other keys suffer.
    @Test(arguments: counters) func aCounterThatCannotBeUsed(_ counter: [UInt8]) async throws {
      _ = try await locks.number()
      let file = URL(filePath: locks.file("lock"))
      let before = try Data(contentsOf: file)
      try Data(counter).write(to: file)
      for _ in 1...2 {
        let error: LockFolderError =
          counter.starts(with: Self.full.prefix(20))
          ? .exhaustedCounter(path: file.path) : .unreadableCounter(path: file.path)
        await #expect(throws: error) { try await locks.number() }
      }
      #expect(try await locks.number("other") > 0)
      try before.write(to: file)
      #expect(try await locks.number() > 0)
    }

    /// Fails if: a folder that is gone is made again by a request, or its error is another.
    @Test func aFolderThatIsGone() async throws {
      let first = try await locks.number()
      try folder.moveLocksAway()
      await #expect(throws: LockFolderError.system(call: "open", path: locks.file("next"), code: ENOENT)) {
        try await locks.number()
      }
      try folder.moveLocksBack()
      #expect(try await locks.number() == first + 1)
    }

    /// Fails if: five hundred keys at once need a thread each, or lose one.
    @Test func manyKeysAtOnce() async throws {
      let bank = Bank(access: locks)
      let jobs = (0..<500).map { key in bank.submit(for: "\(key)") { $0.number } }
      for job in jobs { #expect(try await job.value > 0) }
      try await bank.drain()
    }
  }
#endif
