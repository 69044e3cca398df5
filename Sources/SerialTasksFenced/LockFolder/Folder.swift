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

  struct Folder: Sendable {
    /// Absolute, without symbolic links.
    let path: String
    private let isShared: Bool

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
      if status.st_mode & S_IWOTH != 0 { throw .untrusted(path: path, reason: "it is writable by every user") }
      isShared = status.st_mode & S_IWGRP != 0
    }

    /// Trusts, in a shared folder, every user that could create a file there.
    func isTrusted(_ user: uid_t) -> Bool { isShared || Folder.isOwn(user) }

    private static func isOwn(_ user: uid_t) -> Bool { user == geteuid() || user == 0 }
  }
#endif
