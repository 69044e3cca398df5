#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open file or folder; closed, and unlocked with that, when the last reference to it is released.
final class Descriptor: Sendable {
  let path: String
  private let number: Int32

  init(_ path: String, _ flags: Int32) throws(LockFolderError) {
    let number = Descriptor.retrying { open(path, flags | O_CLOEXEC, 0o666) }
    if number < 0 { throw .current("open", path) }
    self.path = path
    self.number = number
  }

  deinit { close(number) }

  /// A signal may interrupt a call that has done nothing yet.
  static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }
}

// MARK: - Locking

extension Descriptor {
  /// Locks the file, which no other descriptor may lock meanwhile, not even one of this process; returns whether it is locked.
  ///
  /// It waits for that if it is told to, however long it takes.
  func lock(waiting: Bool) throws(LockFolderError) -> Bool {
    if Descriptor.retrying({ flock(number, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) }) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw .current("flock", path)
  }

  /// Unlocks the file for copies of the descriptor too, such as those of a process that was forked.
  func unlock() { _ = flock(number, LOCK_UN) }

  /// Whether the file is still the one that its path leads to; if not, another process may lock the other one.
  var isAtItsPath: Bool {
    var here = stat()
    var there = stat()
    return fstat(number, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino
      && here.st_dev == there.st_dev
  }

  var isFolder: Bool {
    var here = stat()
    return fstat(number, &here) == 0 && here.st_mode & S_IFMT == S_IFDIR
  }
}

// MARK: - Reading and writing

extension Descriptor {
  /// The first bytes of the file, as many as there are.
  func read(_ count: Int) throws(LockFolderError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = bytes.withUnsafeMutableBytes { buffer in
      Descriptor.retrying { Int32(pread(number, buffer.baseAddress, buffer.count, 0)) }
    }
    if length < 0 { throw .current("read", path) }
    return Array(bytes.prefix(Int(length)))
  }

  /// Writes all bytes, and returns when they are on the disk.
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

  /// Returns when all that was written is on the disk.
  func synchronize() throws(LockFolderError) {
    #if canImport(Darwin)
      // There, `fsync` leaves it in the drive's cache. A file system that does not know the other has `fsync`.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    if Descriptor.retrying({ fsync(number) }) != 0 { throw .current("fsync", path) }
  }
}
