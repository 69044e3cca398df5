#if !os(Windows) && !os(WASI)
  import Foundation
  import SerialTasksFenced
  import Testing

  /// What another user may plant who can write to the folder: nothing outside of it is touched, and no call hangs.
  @Suite(.watched) struct LockFolderSafetyTests {
    let folder: Folder
    let locks: LockFolder
    let files = FileManager.default

    init() throws {
      folder = try Folder()
      locks = try LockFolder(folder.locks)
    }

    enum Planted: CaseIterable {
      case link, danglingLink, hardLink, folder, pipe

      func plant(at path: String, to victim: String) throws {
        switch self {
        case .link, .danglingLink:
          try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
        case .hardLink: try FileManager.default.linkItem(atPath: victim, toPath: path)
        case .folder: try #require(mkdir(path, 0o777) == 0)
        case .pipe: try #require(mkfifo(path, 0o666) == 0)
        }
      }
    }

    /// Fails if: a file is opened through a link, written over or made; opening what is no file hangs, or is tried again without an end;
    /// or the key cannot be locked when it is gone.
    @Test(arguments: Planted.allCases, ["lock.new", "next", "lock"]) func whatIsPlantedIsNotUsed(
      _ planted: Planted, as name: String
    ) async throws {
      let (victim, precious) = ("\(folder.path)/victim", "the precious file of the user that runs the service")
      if planted != .danglingLink { try precious.write(toFile: victim, atomically: false, encoding: .utf8) }
      let path = locks.file(name)
      try planted.plant(at: path, to: victim)
      let reason = planted == .hardLink ? "the file has 2 names" : "it is not a regular file"
      for _ in 1...2 {
        if name != "lock.new" {
          await #expect(throws: LockFolderError.untrusted(path: path, reason: reason)) { try await locks.number() }
        } else if planted == .folder {
          await #expect(throws: LockFolderError.self) { try await locks.number() }
        } else {
          // It is removed, and not used.
          #expect(try await locks.number() > 0)
        }
      }
      #expect(try await locks.number("other") > 0)
      try? files.removeItem(atPath: path)
      #expect(try await locks.number() > 0)
      #expect((try? String(contentsOfFile: victim, encoding: .utf8)) == (planted == .danglingLink ? nil : precious))
    }

    /// Fails if: a process that was killed after it had created a key's file, but kept its first name, blocks the key forever.
    @Test func theFirstNameOfAKeysFileMayBeLeft() async throws {
      let first = try await locks.number()
      try files.linkItem(atPath: locks.file("lock"), toPath: locks.file("lock.new"))
      #expect(try await locks.number() == first + 1)
      #expect(!files.fileExists(atPath: locks.file("lock.new")))
    }

    #if os(Linux)
      /// ```
      ///   the test has locked k.lock ── a call waits for it ── k.lock is replaced, and unlocked ── the call waits for the next …
      /// ```
      /// Fails if: a file that is replaced again and again keeps a call for ever.
      @Test func aFileThatIsReplacedAgainAndAgain() async throws {
        _ = try await locks.number()
        let (path, planted) = (locks.file("lock"), locks.file("planted"))
        let whole = try Data(contentsOf: URL(filePath: path))
        var held = lockedFile(path)
        let call = locks.ask()
        for _ in 1...16 {
          try await isLockAwaited(path)
          try whole.write(to: URL(filePath: planted))
          let next = lockedFile(planted)
          #expect(rename(planted, path) == 0)
          close(held)
          held = next
        }
        await #expect(throws: LockFolderError.untrusted(path: path, reason: "it keeps being replaced")) {
          try await call.value
        }
        close(held)
      }

      private func lockedFile(_ path: String) -> Int32 {
        let file = open(path, O_RDWR | O_CLOEXEC)
        #expect(flock(file, LOCK_EX) == 0)
        return file
      }
    #endif

    /// Fails if: a folder or a file is made that every user may read or write, whatever the process masks.
    @Test func whatIsMadeIsForOwnerAndGroup() async throws {
      let made = try LockFolder("\(folder.path)/made")
      _ = try await made.number()
      for path in [made.path, made.file("lock"), made.file("next")] {
        let mode = try #require(files.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        #expect(mode & 0o007 == 0, "\(path): \(String(mode, radix: 8))")
      }
    }

    /// Fails if: the folder of another user is opened, or a file of one counts where that user is not admitted.
    @Test(.enabled(if: geteuid() == 0, "only root can give files away")) func filesOfOtherUsers() async throws {
      try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.locks)
      let own = try LockFolder(folder.locks)
      _ = try await own.number()
      let other = uid_t(65_534)
      #expect(chown(own.file("lock"), other, 0) == 0)
      let reason = "it belongs to another user (65534)"
      await #expect(throws: LockFolderError.untrusted(path: own.file("lock"), reason: reason)) {
        try await own.number()
      }
      // Users of one group share it.
      try files.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.locks)
      _ = try await LockFolder(folder.locks).number()
      #expect(chown(folder.locks, other, 0) == 0)
      #expect(throws: LockFolderError.untrusted(path: folder.locks, reason: reason)) { try LockFolder(folder.locks) }
    }

    /// Fails if: what stands in the way is not said, a folder is opened that cannot be used, or in which any user can plant files, or
    /// one that a link leads to is not.
    @Test func badFolders() throws {
      try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.locks)
      #expect(throws: LockFolderError.untrusted(path: folder.locks, reason: "it is writable by every user")) {
        try LockFolder(folder.locks)
      }
      try files.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.locks)
      let link = "\(folder.path)/link"
      try files.createSymbolicLink(atPath: link, withDestinationPath: folder.locks)
      #expect(try LockFolder(link).path == locks.path)
      let (file, missing) = ("\(folder.path)/file", "\(folder.path)/no/such")
      try Data().write(to: URL(filePath: file))
      #expect(throws: LockFolderError.notAFolder(path: file)) { try LockFolder(file) }
      for (path, code) in [("\(file)/x", ENOTDIR), (missing, ENOENT)] {
        #expect(throws: LockFolderError.system(call: "mkdir", path: path, code: code)) { try LockFolder(path) }
      }
      #expect(
        "\(LockFolderError.system(call: "open", path: "/x", code: ENOSPC))" == "open /x: No space left on device (28)")
      #if os(Linux)
        // The superuser has every right, but no user can make a file there.
        #expect(throws: LockFolderError.self) { try LockFolder("/proc/locks") }
      #endif
    }
  }
#endif
