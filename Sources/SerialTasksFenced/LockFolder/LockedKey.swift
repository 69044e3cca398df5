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

  /// A key that this process has locked, with the number of the grant.
  ///
  /// The key's file is locked, and holds the counter. Beside it lies a file that decides who is next: it is locked by the process
  /// that waits for the other file, and unlocked once it has that. So a process that releases a key and comes again stands behind
  /// the others.
  ///
  /// ```
  ///   ann.lock       locked by the process that works on ann
  ///   ann.next       locked by the process that is next; all others wait for this one
  ///   ann.lock.new   a new ann.lock, before it is whole; only the process that is next makes one, or removes one
  /// ```
  struct LockedKey: Sendable {
    private let file: Descriptor
    let number: UInt64

    /// How an attempt to lock a key ends.
    enum Attempt: Sendable {
      case locked(LockedKey)
      /// It is locked elsewhere; the place is that of who is next, if it was free.
      case busy(place: Descriptor?)
      case unwanted
    }

    /// How often a file may be another than the one that was opened, before that is an error.
    ///
    /// An honest process removes no file that others use; and it could not go on for ever to replace one.
    private static let mostTries = 16

    /// Who wants the key, as far as an attempt to lock it needs to know.
    struct Claim {
      /// Returns whether the key is still wanted; asked whenever there may have been a wait.
      ///
      /// Before a wait for the key's file it is given the file that decides who is next. From then on, until ``hasWaited`` is
      /// called, that may be unlocked, so that a caller that has left stands in no other's way.
      let isWanted: (_ next: Descriptor?) -> Bool
      let hasWaited: () -> Void
    }

    /// Tries to lock the key, or waits for it, however long that takes.
    static func attempt(
      _ name: FileName, in folder: Folder, place: Descriptor? = nil, waiting: Bool, for claim: Claim
    ) throws(LockFolderError) -> Attempt {
      let path = "\(folder.path)/\(name.text).lock"
      let next = if let place { place } else { try placeOfNext("\(folder.path)/\(name.text).next", in: folder) }
      for _ in 1...mostTries {
        // It is, unless it was unlocked during a wait.
        guard try next.lock(waiting: waiting) else { return .busy(place: nil) }
        guard claim.isWanted(nil) else { return unwanted(next) }
        guard let file = try keyFile(path, in: folder) else { continue }
        if waiting {
          guard claim.isWanted(next) else { return unwanted(next) }
          defer { claim.hasWaited() }
          _ = try file.lock(waiting: true)
        } else if try !file.lock(waiting: false) {
          return .busy(place: next)
        }
        // It may have been removed in between; what is there now may be locked by another process.
        guard file.isAtItsPath else { continue }
        guard claim.isWanted(nil) else { return unwanted(next) }
        guard let counter = FenceCounter(try file.read(FenceCounter.size)) else { throw .unreadableCounter(path: path) }
        guard let number = counter.nextNumber else { throw .exhaustedCounter(path: path) }
        try file.write(counter.next, at: counter.nextSlot * FenceCounter.slotSize)
        next.unlock()
        return .locked(LockedKey(file: file, number: number))
      }
      throw .replacedAgainAndAgain(path)
    }

    private static func unwanted(_ next: Descriptor) -> Attempt {
      next.unlock()
      return .unwanted
    }

    func unlock() { file.unlock() }

    /// Returns whether another process is next, and waits for the key that this one has locked.
    ///
    /// The process that waits next for a locked key holds the other file of the key. Looking at that locks it for a moment.
    static func isAwaited(_ name: FileName, in folder: Folder) throws(LockFolderError) -> Bool {
      guard let next = try Descriptor.file("\(folder.path)/\(name.text).next", in: folder) else { return false }
      return try next.isLockedByAnother()
    }

    /// Throws if another process may have locked the key.
    var check: @Sendable () throws -> Void {
      { [file, number] in
        if !file.isAtItsPath { throw AccessError.lost(number: number, reason: "\(file.path) was removed or replaced") }
      }
    }
  }

  // MARK: - Files

  extension LockedKey {
    /// Opens the file that decides who is next, or makes it.
    private static func placeOfNext(_ path: String, in folder: Folder) throws(LockFolderError) -> Descriptor {
      for _ in 1...mostTries {
        if let file = try Descriptor.file(path, in: folder) {
          try file.checkLinks()
          return file
        }
        if let file = try Descriptor.newFile(path) { return file }
      }
      throw .replacedAgainAndAgain(path)
    }

    /// Opens the key's file; makes it and returns `nil` if it is not there.
    private static func keyFile(_ path: String, in folder: Folder) throws(LockFolderError) -> Descriptor? {
      guard let file = try Descriptor.file(path, in: folder) else {
        try create(path, in: folder)
        return nil
      }
      // It keeps the name under which it was made, if its maker was killed in between.
      if try file.links == 2 { unlink("\(path).new") }
      try file.checkLinks()
      return file
    }

    /// Makes the key's file, which is there with a whole counter or not at all, also after a crash.
    ///
    /// Only the process that is next may call it: what lies at the path of the new file is then left from a crash, or planted.
    private static func create(_ path: String, in folder: Folder) throws(LockFolderError) {
      let name = "\(path).new"
      if unlink(name) != 0, errno != ENOENT { throw .current("unlink", name) }
      guard let new = try Descriptor.newFile(name) else { throw .replacedAgainAndAgain(name) }
      try new.write(FenceCounter(startingAfter: microseconds).file, at: 0)
      // Unlike `link`, it follows no symbolic link on any system.
      if linkat(AT_FDCWD, name, AT_FDCWD, path, 0) != 0, errno != EEXIST { throw .current("linkat", path) }
      unlink(name)
      try Descriptor.folder(folder).synchronize()
    }

    /// The time of day: a counter whose file was removed goes on above the numbers that it gave, unless the clock was set back or
    /// there was more than one grant a microsecond.
    private static var microseconds: UInt64 {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    }
  }
#endif
