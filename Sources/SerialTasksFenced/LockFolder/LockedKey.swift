#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A key that this process has locked, with the number of the grant.
///
/// The key's file is locked, and holds the counter. Beside it lies a file that decides who is next: it is locked by the process
/// that waits for the other file, and unlocked once it has that. So a process that releases a key and comes again stands behind the
/// others.
///
/// ```
///   ann.lock   locked by the process that works on ann
///   ann.next   locked by the process that is next; all others wait for this one
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

  /// Tries to lock the key, or waits for it, however long that takes.
  ///
  /// Whether the key is still wanted is asked whenever there may have been a wait.
  static func attempt(
    _ name: FileName, in folder: String, place: Descriptor? = nil, waiting: Bool, isWanted: () -> Bool
  ) throws(LockFolderError) -> Attempt {
    let path = "\(folder)/\(name.text).lock"
    let next: Descriptor
    if let place {
      next = place
    } else {
      next = try Descriptor("\(folder)/\(name.text).next", O_RDWR | O_CREAT)
      guard try next.lock(waiting: waiting) else { return .busy(place: nil) }
    }
    while isWanted() {
      if access(path, F_OK) != 0 { try create(path, in: folder) }
      let file = try Descriptor(path, O_RDWR)
      guard try file.lock(waiting: waiting) else { return .busy(place: next) }
      // It may have been removed in between; what is there now may be locked by another process.
      guard file.isAtItsPath else { continue }
      guard isWanted() else { break }
      guard let counter = FenceCounter(try file.read(FenceCounter.size)) else { throw .unreadableCounter(path: path) }
      try file.write(counter.next, at: counter.nextSlot * FenceCounter.slotSize)
      next.unlock()
      return .locked(LockedKey(file: file, number: counter.number + 1))
    }
    next.unlock()
    return .unwanted
  }

  func unlock() { file.unlock() }

  var fence: Fence {
    Fence(number: number) { [file, number] in
      if !file.isAtItsPath { throw AccessError.lost(number: number, reason: "\(file.path) was removed or replaced") }
    }
  }

  /// Makes the key's file, which is there with a whole counter or not at all, also after a crash.
  private static func create(_ path: String, in folder: String) throws(LockFolderError) {
    let new = try Descriptor("\(path).new", O_RDWR | O_CREAT | O_TRUNC)
    try new.write(FenceCounter(startingAfter: microseconds).file, at: 0)
    if link(new.path, path) != 0, errno != EEXIST { throw .current("link", path) }
    unlink(new.path)
    try Descriptor(folder, O_RDONLY).synchronize()
  }

  /// The time of day: a counter whose file was removed goes on above the numbers that it gave, unless the clock was set back or
  /// there was more than one grant a microsecond.
  private static var microseconds: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
  }
}
