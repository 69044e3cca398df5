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

  /// Why a ``LockFolder`` could not be opened, or a key in it could not be locked.
  public enum LockFolderError: Error, Hashable, Sendable {
    /// A system call failed with this `errno`: the folder is gone, permissions are missing, the disk is full.
    case system(call: String, path: String, code: Int32)
    /// The path does not lead to a folder.
    case notAFolder(path: String)
    /// The file of a key has no readable counter, so the granted numbers are unknown.
    ///
    /// Nothing is granted until the file is repaired or, while no process uses the folder, removed.
    case unreadableCounter(path: String)
    /// The counter of a key has the highest possible number, and cannot rise.
    ///
    /// Grants alone never reach it: something else has written to the file.
    case exhaustedCounter(path: String)
    /// The file or folder at the path may have been planted by another user, and was not used.
    ///
    /// It is not a regular file, has several names or another owner, or is replaced again and again (``LockFolder``,
    /// *Permissions*).
    case untrusted(path: String, reason: String)
  }

  extension LockFolderError: CustomStringConvertible {
    /// A sentence that says what failed, and where.
    public var description: String {
      switch self {
      case .system(let call, let path, let code): "\(call) \(path): \(String(cString: strerror(code))) (\(code))"
      case .notAFolder(let path): "\(path) is not a folder."
      case .unreadableCounter(let path): "The fence counter in \(path) cannot be read."
      case .exhaustedCounter(let path): "The fence counter in \(path) has reached its maximum."
      case .untrusted(let path, let reason): "\(path) was rejected: \(reason)."
      }
    }
  }

  extension LockFolderError {
    static func current(_ call: String, _ path: String) -> LockFolderError {
      .system(call: call, path: path, code: errno)
    }

    static func notARegularFile(_ path: String) -> LockFolderError {
      .untrusted(path: path, reason: "it is not a regular file")
    }

    static func keepsBeingReplaced(_ path: String) -> LockFolderError {
      .untrusted(path: path, reason: "it keeps being replaced")
    }
  }
#endif
