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

  /// Why a ``LockFolder`` could not be opened, or a key in it not locked.
  public enum LockFolderError: Error, Hashable, Sendable {
    /// A call of the system failed with this `errno`: the folder is gone, rights are missing, the disk is full.
    case system(call: String, path: String, code: Int32)
    /// What is at the path is not a folder.
    case notAFolder(path: String)
    /// The file of a key holds no counter that can be read, so that it is unknown which numbers were given.
    ///
    /// Nothing is granted until the file is repaired. If no process uses the folder, the file may be removed: a new counter
    /// starts from the time of day.
    case unreadableCounter(path: String)
    /// The counter of a key is at the highest number that there is, and cannot rise.
    ///
    /// No number of grants leads there, so something else has written to the file.
    case exhaustedCounter(path: String)
    /// What is at the path may be the work of a user who has no business there, and was not used.
    ///
    /// It is the folder, or the file of a key: a symbolic link, something that is not a regular file, a file with several names
    /// or with another owner, or one that is replaced again and again. ``LockFolder`` says who may have which rights.
    case untrusted(path: String, reason: String)
  }

  extension LockFolderError: CustomStringConvertible {
    /// A sentence that says what failed, and where.
    public var description: String {
      switch self {
      case .system(let call, let path, let code): "\(call) \(path): \(String(cString: strerror(code))) (\(code))"
      case .notAFolder(let path): "\(path) is not a folder."
      case .unreadableCounter(let path): "The counter of fences in \(path) cannot be read."
      case .exhaustedCounter(let path): "The counter of fences in \(path) is at its end."
      case .untrusted(let path, let reason): "\(path) is not used: \(reason)."
      }
    }
  }

  extension LockFolderError {
    /// Returns what `errno` says now.
    static func current(_ call: String, _ path: String) -> LockFolderError {
      .system(call: call, path: path, code: errno)
    }

    static func notARegularFile(_ path: String) -> LockFolderError {
      .untrusted(path: path, reason: "it is not a regular file")
    }

    static func replacedAgainAndAgain(_ path: String) -> LockFolderError {
      .untrusted(path: path, reason: "it is replaced again and again")
    }
  }
#endif
