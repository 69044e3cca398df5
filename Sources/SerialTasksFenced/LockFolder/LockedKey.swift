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
  /// The key's file is locked, and holds the counter. The process that waits for it is next: it has locked a
  /// second file, until it has the first. So a process that releases a key and returns queues behind the others.
  ///
  /// ```
  ///   ann.lock       locked by the process that works on ann
  ///   ann.next       locked by the process that is next; all others wait for this one
  ///   ann.lock.new   a new ann.lock, before it is complete; only the process that is next creates or removes it
  /// ```
  struct LockedKey: Sendable {
    private let file: Descriptor
    let number: UInt64

    enum Attempt: Sendable {
      case locked(LockedKey)
      /// `place` is the file that decides who is next, if it was free.
      case busy(place: Descriptor?)
      case unwanted
    }

    /// Limits how often the file at the path may differ from the opened one: a well-behaved process never removes a
    /// file that others use; a malicious one must not make this loop endless.
    private static let mostTries = 16

    struct Claim {
      /// Returns whether the key is still needed; called whenever there may have been a wait.
      ///
      /// Before a wait for the key's file, it gets the second file. Until ``hasWaited`` is called, that may be
      /// unlocked, so that a caller that has left blocks no other.
      let isWanted: (_ next: Descriptor?) -> Bool
      let hasWaited: () -> Void
    }

    static func attempt(
      _ name: FileName, in folder: Folder, place: Descriptor? = nil, waiting: Bool, for claim: Claim
    ) throws(LockFolderError) -> Attempt {
      let path = "\(folder.path)/\(name.text).lock"
      let next = if let place { place } else { try placeOfNext("\(folder.path)/\(name.text).next", in: folder) }
      for _ in 1...mostTries {
        // This succeeds, unless the file was unlocked during a wait.
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
        // It may have been removed in between; another process may have locked the new file.
        guard file.isAtItsPath else { continue }
        guard claim.isWanted(nil) else { return unwanted(next) }
        guard let counter = FenceCounter(try file.read(FenceCounter.size)) else { throw .unreadableCounter(path: path) }
        guard let number = counter.nextNumber else { throw .exhaustedCounter(path: path) }
        try file.write(counter.next, at: counter.nextSlot * FenceCounter.slotSize)
        next.unlock()
        return .locked(LockedKey(file: file, number: number))
      }
      throw .keepsBeingReplaced(path)
    }

    private static func unwanted(_ next: Descriptor) -> Attempt {
      next.unlock()
      return .unwanted
    }

    func unlock() { file.unlock() }

    /// Checks the second file, which the next process has locked, by locking it for a moment.
    static func isAwaited(_ name: FileName, in folder: Folder) throws(LockFolderError) -> Bool {
      guard let next = try Descriptor.file("\(folder.path)/\(name.text).next", in: folder) else { return false }
      return try next.isLockedByAnother()
    }

    var check: @Sendable () throws -> Void {
      { [file, number] in
        if !file.isAtItsPath { throw AccessError.lost(number: number, reason: "\(file.path) was removed or replaced") }
      }
    }
  }

  extension LockedKey {
    private static func placeOfNext(_ path: String, in folder: Folder) throws(LockFolderError) -> Descriptor {
      for _ in 1...mostTries {
        if let file = try Descriptor.file(path, in: folder) {
          try file.checkLinks()
          return file
        }
        if let file = try Descriptor.newFile(path) { return file }
      }
      throw .keepsBeingReplaced(path)
    }

    private static func keyFile(_ path: String, in folder: Folder) throws(LockFolderError) -> Descriptor? {
      guard let file = try Descriptor.file(path, in: folder) else {
        try create(path, in: folder)
        return nil
      }
      // If its creator was killed in between, it still has its first name.
      if try file.links == 2 { unlink("\(path).new") }
      try file.checkLinks()
      return file
    }

    /// Creates the key's file with a complete counter or not at all, even after a crash.
    ///
    /// Only for the process that is next: a file at the path of the new one is then left from a crash, or planted.
    private static func create(_ path: String, in folder: Folder) throws(LockFolderError) {
      let name = "\(path).new"
      if unlink(name) != 0, errno != ENOENT { throw .current("unlink", name) }
      guard let new = try Descriptor.newFile(name) else { throw .keepsBeingReplaced(name) }
      try new.write(FenceCounter(startingAfter: microseconds).file, at: 0)
      // Unlike `link`, it follows no symbolic link on any system.
      if linkat(AT_FDCWD, name, AT_FDCWD, path, 0) != 0, errno != EEXIST { throw .current("linkat", path) }
      unlink(name)
      try Descriptor.folder(folder).synchronize()
    }

    /// The time of day: without its file, a counter continues above its numbers, unless the clock was set back or there
    /// was more than one grant per microsecond.
    private static var microseconds: UInt64 {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
    }
  }
#endif
