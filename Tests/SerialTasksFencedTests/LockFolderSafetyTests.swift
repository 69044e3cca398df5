#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasksFenced
  import Testing

  /// What another user may plant who can write to the folder: nothing outside of it is touched, and no call hangs.
  @Suite(.watched) struct LockFolderSafetyTests {
    let folder: Folder
    let locks: LockFolder
    /// What a key has in the folder.
    static let names = ["k.lock.new", "k.next", "k.lock"]
    private let precious = "the precious file of the user that runs the service"

    init() throws {
      folder = try Folder()
      locks = try LockFolder(folder.locks)
    }

    private func number(_ key: String) async throws -> UInt64 {
      let log = Log<UInt64>()
      try await locks.withAccess(to: key) { log($0.number) }
      return try #require(log.entries.first)
    }

    private func path(_ name: String) -> String { "\(locks.path)/\(name)" }

    private func makeVictim() throws -> String {
      let victim = "\(folder.path)/victim"
      try precious.write(toFile: victim, atomically: false, encoding: .utf8)
      return victim
    }

    /// Fails if: the error is another, or the key cannot be locked when the file is gone.
    private func expect(_ error: LockFolderError, until path: String) async throws {
      for _ in 1...2 { await #expect(throws: error) { _ = try await number("k") } }
      #expect(try await number("other") > 0)
      try FileManager.default.removeItem(atPath: path)
      #expect(try await number("k") > 0)
    }

    /// Fails if: a file is opened through a symbolic link, and written over or made.
    @Test(arguments: names, [false, true]) func aSymbolicLinkIsNotFollowed(_ name: String, dangling: Bool) async throws
    {
      let victim = dangling ? "\(folder.path)/victim" : try makeVictim()
      try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: victim)
      if name == "k.lock.new" {
        #expect(try await number("k") > 0)
      } else {
        try await expect(.untrusted(path: path(name), reason: "it is not a regular file"), until: path(name))
      }
      #expect((try? String(contentsOfFile: victim, encoding: .utf8)) == (dangling ? nil : precious))
    }

    /// Fails if: a file that has another name elsewhere is written to.
    @Test(arguments: names) func aHardLinkIsNotUsed(_ name: String) async throws {
      let victim = try makeVictim()
      try FileManager.default.linkItem(atPath: victim, toPath: path(name))
      if name == "k.lock.new" {
        #expect(try await number("k") > 0)
      } else {
        try await expect(.untrusted(path: path(name), reason: "the file has 2 names"), until: path(name))
      }
      #expect(try String(contentsOfFile: victim, encoding: .utf8) == precious)
    }

    /// Fails if: the counter of another folder is counted on.
    @Test func theCounterOfAnotherKeyIsNotUsed() async throws {
      let first = try await number("a")
      try FileManager.default.linkItem(atPath: path("a.lock"), toPath: path("k.lock"))
      try await expect(.untrusted(path: path("k.lock"), reason: "the file has 2 names"), until: path("k.lock"))
      #expect(try await number("a") == first + 1)
    }

    /// Fails if: opening what is no file hangs, or is tried again without an end.
    @Test(arguments: names, [S_IFDIR, S_IFIFO]) func whatIsNoFileIsAnError(_ name: String, kind: mode_t) async throws {
      let path = path(name)
      try #require((kind == S_IFDIR ? mkdir(path, 0o777) : mkfifo(path, 0o666)) == 0)
      if name != "k.lock.new" {
        try await expect(.untrusted(path: path, reason: "it is not a regular file"), until: path)
      } else if kind == S_IFDIR {
        await #expect(throws: LockFolderError.self) { _ = try await number("k") }
      } else {
        #expect(try await number("k") > 0)
      }
    }

    /// Fails if: a process that was killed after it had created a key's file, but kept its first name, blocks the key forever.
    @Test func theFirstNameOfAKeysFileMayBeLeft() async throws {
      let first = try await number("k")
      try FileManager.default.linkItem(atPath: path("k.lock"), toPath: path("k.lock.new"))
      #expect(try await number("k") == first + 1)
      #expect(!FileManager.default.fileExists(atPath: path("k.lock.new")))
    }

    #if os(Linux)
      /// ```
      ///   the test has locked k.lock ── a call waits for it ── k.lock is replaced, and unlocked ── the call waits for the next …
      /// ```
      /// Fails if: a file that is replaced again and again keeps a call for ever.
      @Test func aFileThatIsReplacedAgainAndAgain() async throws {
        _ = try await number("k")
        let whole = try Data(contentsOf: URL(filePath: path("k.lock")))
        var held = lockedFile(path("k.lock"))
        let log = Log<String>()
        let call = Task {
          do { _ = try await number("k") } catch { log("\(error)") }
        }
        for _ in 1...16 {
          try await isLockAwaited(path("k.lock"))
          try whole.write(to: URL(filePath: path("planted")))
          let planted = lockedFile(path("planted"))
          #expect(rename(path("planted"), path("k.lock")) == 0)
          close(held)
          held = planted
        }
        await call.value
        close(held)
        #expect(log.entries == ["\(path("k.lock")) was rejected: it keeps being replaced."])
      }

      private func lockedFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CLOEXEC)
        #expect(flock(file, LOCK_EX) == 0)
        return file
      }
    #endif

    /// Fails if: a folder or a file is made that every user may read or write, whatever the process masks.
    @Test func whatIsMadeIsForOwnerAndGroup() async throws {
      let made = "\(folder.path)/made"
      try await LockFolder(made).withAccess(to: "k") { _ in }
      for path in [made, "\(made)/k.lock", "\(made)/k.next"] {
        let mode = try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        #expect(mode & 0o007 == 0, "\(path): \(String(mode, radix: 8))")
      }
    }

    /// Fails if: a folder is opened in which any user can plant files, or one that a link leads to is not.
    @Test func foldersThatOthersMayWriteTo() throws {
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.locks)
      #expect(throws: LockFolderError.untrusted(path: folder.locks, reason: "it is writable by every user")) {
        try LockFolder(folder.locks)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.locks)
      let link = "\(folder.path)/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.locks)
      #expect(try LockFolder(link).path == locks.path)
    }

    /// Fails if: the folder of another user is opened, or a file of one counts where that user is not admitted.
    @Test(.enabled(if: geteuid() == 0, "only root can give files away")) func filesOfOtherUsers() async throws {
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.locks)
      let own = try LockFolder(folder.locks)
      try await own.withAccess(to: "k") { _ in }
      let other = uid_t(65_534)
      #expect(chown(path("k.lock"), other, 0) == 0)
      let reason = "it belongs to another user (65534)"
      await #expect(throws: LockFolderError.untrusted(path: path("k.lock"), reason: reason)) {
        try await own.withAccess(to: "k") { _ in }
      }
      // Users of one group share it.
      try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.locks)
      try await LockFolder(folder.locks).withAccess(to: "k") { _ in }
      #expect(chown(folder.locks, other, 0) == 0)
      #expect(throws: LockFolderError.untrusted(path: folder.locks, reason: reason)) { try LockFolder(folder.locks) }
    }

    /// Fails if: the counter overflows, and ends the process.
    @Test(arguments: [false, true]) func aCounterAtItsEnd(isDamaged: Bool) async throws {
      _ = try await number("k")
      var file = FenceCounter(startingAfter: .max).file
      if isDamaged { file[FenceCounter.slotSize] ^= 1 }
      try Data(file).write(to: URL(filePath: path("k.lock")))
      try await expect(.exhaustedCounter(path: path("k.lock")), until: path("k.lock"))
    }

    /// Fails if: what stands in the way is not said, or a folder that cannot be used is opened.
    @Test func badFolders() throws {
      let file = "\(folder.path)/file"
      try Data().write(to: URL(filePath: file))
      #expect(throws: LockFolderError.notAFolder(path: file)) { try LockFolder(file) }
      #expect(throws: LockFolderError.system(call: "mkdir", path: "\(file)/x", code: ENOTDIR)) {
        try LockFolder("\(file)/x")
      }
      let missing = "\(folder.path)/no/such"
      #expect(throws: LockFolderError.system(call: "mkdir", path: missing, code: ENOENT)) { try LockFolder(missing) }
      #expect(
        "\(LockFolderError.system(call: "open", path: "/x", code: ENOSPC))" == "open /x: No space left on device (28)")
      #if os(Linux)
        // The superuser has every right, but no user can make a file there.
        #expect(throws: LockFolderError.self) { try LockFolder("/proc/locks") }
      #endif
    }
  }
#endif
