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

  /// An open file of a key, or the folder; closed, and thereby unlocked, when the last reference is released.
  ///
  /// Files in the folder are not trusted: symbolic links are not followed, opening a pipe does not block, and only a
  /// regular file with one name and the right owner is used.
  final class Descriptor: Sendable {
    let path: String
    private let number: Int32

    private init(_ number: Int32, _ path: String) {
      self.number = number
      self.path = path
    }

    /// Returns `nil` if opening the file fails with one of these codes.
    private convenience init?(_ path: String, _ flags: Int32, unless codes: Int32...) throws(LockFolderError) {
      let number = Descriptor.retrying { open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o660) }
      if number < 0 {
        let code = errno
        if codes.contains(code) { return nil }
        if [ELOOP, EISDIR, ENXIO].contains(code) { throw .notARegularFile(path) }
        throw .system(call: "open", path: path, code: code)
      }
      self.init(number, path)
    }

    deinit { close(number) }

    static func file(_ path: String, in folder: Folder) throws(LockFolderError) -> Descriptor? {
      guard let file = try Descriptor(path, O_RDWR, unless: ENOENT) else { return nil }
      try file.check(folder)
      return file
    }

    static func newFile(_ path: String) throws(LockFolderError) -> Descriptor? {
      try Descriptor(path, O_RDWR | O_CREAT | O_EXCL, unless: EEXIST)
    }

    static func folder(_ folder: Folder) throws(LockFolderError) -> Descriptor {
      try Descriptor(folder.path, O_RDONLY | O_DIRECTORY)!
    }

    static func retrying(_ call: () -> Int32) -> Int32 {
      while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
      }
    }
  }

  // MARK: - What it is

  extension Descriptor {
    private var status: stat {
      get throws(LockFolderError) {
        var status = stat()
        if fstat(number, &status) != 0 { throw .current("fstat", path) }
        return status
      }
    }

    var links: Int { get throws(LockFolderError) { Int(try status.st_nlink) } }

    /// Throws if the file has another name: it may be from outside the folder.
    func checkLinks() throws(LockFolderError) {
      let links = try links
      if links > 1 { throw .untrusted(path: path, reason: "the file has \(links) names") }
    }

    private func check(_ folder: Folder) throws(LockFolderError) {
      let status = try status
      if status.st_mode & S_IFMT != S_IFREG { throw .notARegularFile(path) }
      if !folder.isTrusted(status.st_uid) {
        throw .untrusted(path: path, reason: "it belongs to another user (\(status.st_uid))")
      }
    }

    /// Whether the file is still the one at its path, and not behind a link; otherwise another process may lock that one.
    var isAtItsPath: Bool {
      var here = stat()
      var there = stat()
      return fstat(number, &here) == 0 && lstat(path, &there) == 0 && here.st_ino == there.st_ino
        && here.st_dev == there.st_dev
    }
  }

  // MARK: - Locking

  extension Descriptor {
    /// Locks the file against all other descriptors, even of this process.
    func lock(waiting: Bool) throws(LockFolderError) -> Bool { try change(waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }

    func isLockedByAnother() throws(LockFolderError) -> Bool {
      // Shared, so that concurrent checks do not see each other.
      guard try change(LOCK_SH | LOCK_NB) else { return true }
      unlock()
      return false
    }

    private func change(_ operation: Int32) throws(LockFolderError) -> Bool {
      if Descriptor.retrying({ flock(number, operation) }) == 0 { return true }
      if errno == EWOULDBLOCK { return false }
      throw .current("flock", path)
    }

    /// Unlocks the file, even for copies of the descriptor in a forked process.
    func unlock() { _ = flock(number, LOCK_UN) }
  }

  // MARK: - Reading and writing

  extension Descriptor {
    func read(_ count: Int) throws(LockFolderError) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      let length = bytes.withUnsafeMutableBytes { buffer in
        Descriptor.retrying { Int32(pread(number, buffer.baseAddress, buffer.count, 0)) }
      }
      if length < 0 { throw .current("read", path) }
      return Array(bytes.prefix(Int(length)))
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(LockFolderError) {
      var done = 0
      while done < bytes.count {
        let length = bytes.withUnsafeBytes { buffer in
          Descriptor.retrying {
            Int32(pwrite(number, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done)))
          }
        }
        if length < 0 { throw .current("write", path) }
        done += Int(length)
      }
      try synchronize()
    }

    func synchronize() throws(LockFolderError) {
      #if canImport(Darwin)
        // On Apple systems, `fsync` leaves data in the drive's cache. A file system without `F_FULLFSYNC` has `fsync`.
        if fcntl(number, F_FULLFSYNC) == 0 { return }
      #endif
      if Descriptor.retrying({ fsync(number) }) != 0 { throw .current("fsync", path) }
    }
  }
#endif
