#if !os(Windows) && !os(WASI)
  import Foundation

  /// The descriptors of this process that are open for the file at the path.
  func descriptors(of path: String) -> [Int32] {
    var file = stat()
    guard stat(path, &file) == 0 else { return [] }
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
    return open.compactMap { Int32($0) }.filter { number in
      var other = stat()
      return fstat(number, &other) == 0 && other.st_ino == file.st_ino && other.st_dev == file.st_dev
    }
  }

  #if os(Linux)
    /// Returns when a thread waits for the lock of the file, by what the system says.
    func isLockAwaited(_ path: String) async throws {
      var file = stat()
      _ = stat(path, &file)
      try await until {
        systemLocks().split(separator: "\n").contains { $0.contains(" -> ") && $0.contains(":\(file.st_ino) ") }
      }
    }

    /// All locks of the machine: Foundation would read no more than the first page of a file that says it is empty.
    private func systemLocks() -> String {
      guard let file = fopen("/proc/locks", "r") else { return "" }
      defer { fclose(file) }
      var (text, page) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
      while case let count = fread(&page, 1, page.count, file), count > 0 { text += page.prefix(count) }
      return String(decoding: text, as: UTF8.self)
    }
  #endif

  /// Whether a lock of the file is held, by whatever descriptor.
  ///
  /// What this locks for a moment is unlocked before the file is closed: a process that is just being started has a copy of it.
  func isLocked(_ path: String) -> Bool {
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    if flock(file, LOCK_SH | LOCK_NB) != 0 { return true }
    flock(file, LOCK_UN)
    return false
  }
#endif
