#if !os(Windows) && !os(WASI)
  /// Grants access to one process at a time on one machine, with a folder that has a locked file for each key.
  ///
  /// All processes that open the same folder exclude each other: an app and its extension, two runs of a command-line tool,
  /// several workers on one machine. Within a process, two calls exclude each other as well.
  ///
  /// ```swift
  /// let accounts = FencedSerialTaskExecutor<String>(
  ///   name: "accounts", access: try LockFolder("/var/lib/bank/locks"))
  /// ```
  ///
  /// **Keys.** Any string is a key, and each has its own file. Between processes, the UTF-8 bytes count: two strings that
  /// are equal in Swift although their characters are composed differently are one key inside a process and two keys
  /// between processes. A locked key costs an open file, even while access to it is merely kept.
  ///
  /// **Locks** are taken with `flock`. If the holder is killed, the system releases its lock. A holder that is stopped or
  /// hangs keeps it, and the others wait; they also wait for a stopped process that is next. Waiting blocks one thread for
  /// each key that is locked elsewhere, outside of Swift's cooperative pool; if the system cannot create a thread, the call
  /// throws. A process that releases a key and requests it again queues behind the waiting processes.
  ///
  /// **Fences.** The counter of a key is stored in its file, and is on the disk before the turn begins. A crash never
  /// lowers it. If the file or the folder is removed, the counter starts again from the time of day in microseconds, above
  /// all earlier numbers, unless the clock was set back.
  ///
  /// **Removing.** Do not remove the folder, or a file in it, while processes use it: they would then lock different files.
  /// ``Fence/check()`` detects this, and a request for access throws if the folder is gone. An idle key keeps its two small
  /// files; they may be removed when no process runs.
  ///
  /// **Permissions.** Anyone who can write to the folder can break exclusion by removing files and lowering counters.
  /// Anyone who can open a file can hold its lock forever. The folder is created for its user and group (mode `0770`, less
  /// the process's umask), and so are its files (`0660`). An existing folder must belong to the user of the process or to
  /// root, and must not be writable by everyone. Users who share a folder need a common group: give the folder to root and
  /// that group, with mode `2770`, and run the processes with a umask of `007`. In such a folder, files of all its users
  /// are accepted; in any other, only files of the user and of root.
  ///
  /// Nothing outside the folder is written to: a file that is a symbolic link, not a regular file, or has several names is
  /// rejected, and the call throws ``LockFolderError/untrusted(path:reason:)``. Symbolic links in the path of the folder
  /// are followed once, when it is opened: no other user may have permissions in its parent folders, either.
  ///
  /// **Not supported:**
  /// - *Windows and WASI*, which have no `flock`. Use an ``ExclusiveAccess`` of your own there.
  /// - *Network file systems* (NFS, SMB, and folders that containers and virtual machines share with their host). There,
  ///   `flock` may exclude no other process, or only processes of the same machine.
  /// - *A suspended iOS app* that holds a lock in a container that it shares with its extensions. The system kills it
  ///   (`0xdead10cc`). Call the executor's `pauseAndWait()` in a background task before that: it returns when this process
  ///   holds no lock. A thread may still wait for another process's lock, and holds none meanwhile.
  /// - *Several machines.* Use the leases of a lock service behind an ``ExclusiveAccess`` of your own.
  public struct LockFolder: ExclusiveAccess {
    private let waits: LockWaits

    /// The folder, as an absolute path.
    public let path: String

    /// Opens the folder, creating it if it does not exist; its parent folder must exist.
    ///
    /// - Parameter path: The path of the folder. All processes that use it, and no others, must be able to write to it. Use it
    ///   for nothing else.
    /// - Throws: A ``LockFolderError`` if it cannot be created, is not a folder, is not writable, or is open to other users.
    public init(_ path: String) throws(LockFolderError) {
      let folder = try Folder(path)
      self.path = folder.path
      waits = LockWaits(folder)
    }

    /// Waits until this process has locked the key's file and raised its counter, runs the turn, and unlocks the file.
    ///
    /// - **Cancellation** of the calling task: *waiting*, the call throws `CancellationError` at once. *Running*, the turn
    ///   decides.
    /// - **Order:** waiting processes get their turns one after another, nearly in the order in which they came.
    /// - **Complexity:** two files are opened, and one is written and synchronized with the disk, which is most of the cost.
    ///
    /// - Parameters:
    ///   - key: Any string.
    ///   - turn: Runs once, while the key is locked.
    /// - Throws: A ``LockFolderError`` if nothing was locked; a later call tries again; `CancellationError`; what the turn
    ///   throws.
    public nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      let locked = try await waits.lock(FileName(of: key))
      defer { locked.unlock() }
      try await Fence.lend(number: locked.number, check: locked.check, to: turn)
    }

    /// Waits until another process waits for the key that this one has locked.
    ///
    /// The system cannot report that: this call polls, at once, after a millisecond, then each time the wait has grown by an
    /// eighth, and at the latest after 50 milliseconds.
    ///
    /// - Throws: `CancellationError`, or a ``LockFolderError``.
    public nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
      let name = FileName(of: key)
      let start = ContinuousClock.now
      while try !waits.isAwaited(name) {
        let pause = min(max(.milliseconds(1), start.duration(to: .now) / 8), .milliseconds(50))
        try await Task.sleep(for: pause)
      }
    }

    /// The number of threads that wait for a lock although their caller was cancelled.
    package var abandonedThreads: Int { waits.abandonedThreads }
  }
#endif
