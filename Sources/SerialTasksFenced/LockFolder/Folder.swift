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

  /// The folder of a ``LockFolder``, and whose files in it count.
  struct Folder: Sendable {
    /// An absolute path, in which no symbolic link is left.
    let path: String
    /// Whether users that have a group in common share it.
    private let isShared: Bool

    /// Opens the folder, which is made if it does not exist.
    init(_ path: String) throws(LockFolderError) {
      if mkdir(path, 0o770) != 0, errno != EEXIST { throw .current("mkdir", path) }
      guard let resolved = realpath(path, nil) else { throw .current("realpath", path) }
      defer { free(resolved) }
      self.path = String(cString: resolved)
      var status = stat()
      if lstat(resolved, &status) != 0 { throw .current("lstat", path) }
      guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFolder(path: path) }
      if access(resolved, R_OK | W_OK | X_OK) != 0 { throw .current("access", path) }
      if !Folder.isOwn(status.st_uid) {
        throw .untrusted(path: path, reason: "it belongs to another user (\(status.st_uid))")
      }
      if status.st_mode & S_IWOTH != 0 { throw .untrusted(path: path, reason: "every user may write to it") }
      isShared = status.st_mode & S_IWGRP != 0
    }

    /// Returns whether the files of the user count: this process's own, those of root, and in a shared folder those of any user
    /// that could make one there.
    func isTrusted(_ user: uid_t) -> Bool { isShared || Folder.isOwn(user) }

    private static func isOwn(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }
  }
#endif
