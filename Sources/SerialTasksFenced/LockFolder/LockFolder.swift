#if !os(Windows) && !os(WASI)
  /// Grants access to one process at a time on one machine, with a folder that has a locked file for each key.
  ///
  /// All processes that open the same folder exclude each other, such as an app and its extension, or two runs of a
  /// command-line tool; so do two calls within a process.
  ///
  /// ```swift
  /// let accounts = FencedSerialTaskExecutor<String>(
  ///   name: "accounts", access: try LockFolder("/var/lib/bank/locks"))
  /// ```
  ///
  /// **Keys.** Any string is a key, and each has its own file. Between processes, the UTF-8 bytes count: equal strings whose
  /// characters are composed differently are two keys there, and one inside a process. A locked or kept key costs an open file.
  ///
  /// **Locks** are taken with `flock`. If the holder is killed, the system releases its lock. A holder that is stopped
  /// or hangs keeps it, and the others wait, as they do for a stopped process that is next. Waiting blocks a thread
  /// outside of Swift's cooperative pool for each key that is locked elsewhere; if none can be created, the call
  /// throws. A process that releases a key and requests it again queues behind the waiting processes.
  ///
  /// **Fences.** The counter of a key is stored in its file, and is on the disk before the turn begins. A crash never
  /// lowers it. If its file is removed, it starts again from the time of day in microseconds: above all earlier
  /// numbers, unless the clock was set back.
  ///
  /// **Removing.** Do not remove the folder, or a file in it, while processes use it: they would then lock different files.
  /// ``Fence/check()`` detects this, and a request throws if the folder is gone. An idle key keeps two small files.
  ///
  /// **Permissions.** Anyone who can write to the folder can break exclusion. Anyone who can open a file can hold its lock
  /// forever. The folder is created for its user and group (mode `0770`, less the process's umask), and so are its files (`0660`).
  /// An existing folder must belong to the user of the process or to root, and must not be writable by everyone. Users who share a
  /// folder need a common group: give the folder to root and that group, with mode `2770`, and run the processes with a umask of
  /// `007`. Only there are the files of all its users accepted, elsewhere those of the user and of root.
  ///
  /// Nothing outside the folder is written to: the call throws ``LockFolderError/untrusted(path:reason:)``. Symbolic links in the
  /// folder's path are followed when it is opened: no other user may have permissions in its parent folders, either.
  ///
  /// **Not supported:**
  /// - *Windows and WASI*, which have no `flock`.
  /// - *Network file systems* (NFS, SMB, folders shared by containers and virtual machines): `flock` may exclude no
  ///   other process, or only those of the same machine.
  /// - *A suspended iOS app* that holds a lock in a container that it shares with its extensions. The system kills it
  ///   (`0xdead10cc`). Call the executor's `pauseAndWait()` in a background task before that. A thread that still waits
  ///   then holds no lock.
  /// - *Several machines.* Put the leases of a lock service behind an ``ExclusiveAccess`` of your own.
  public struct LockFolder: ExclusiveAccess {
    private let waits: LockWaits

    /// The folder, as an absolute path.
    public let path: String

    /// Opens the folder, or creates it in its parent folder, which must exist.
    ///
    /// - Parameter path: Only the processes that use the folder may be able to write to it. Use it for nothing else.
    /// - Throws: A ``LockFolderError``, also if it is open to other users.
    public init(_ path: String) throws(LockFolderError) {
      let folder = try Folder(path)
      self.path = folder.path
      waits = LockWaits(folder)
    }

    /// Waits until this process has locked the key's file and raised its counter, runs the turn, and unlocks the file.
    ///
    /// - **Cancellation** of the calling task: *waiting*, the call throws `CancellationError` at once. *Running*, the
    ///   turn decides.
    /// - **Order:** waiting processes get their turns nearly in order of arrival.
    /// - **Complexity:** opens two files, and synchronizes one with the disk, which is most of the cost.
    ///
    /// - Throws: A ``LockFolderError`` if nothing was locked; `CancellationError`; what the turn throws.
    public nonisolated(nonsending) func withAccess(
      to key: String, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
    ) async throws {
      let locked = try await waits.lock(FileName(of: key))
      defer { locked.unlock() }
      try await Fence.lend(number: locked.number, check: locked.check, to: turn)
    }

    /// Waits until another process waits for the key that this one has locked.
    ///
    /// The system cannot report that: this call polls at once, after a millisecond, then whenever the wait has grown by
    /// an eighth, and at least every 50 milliseconds.
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

    /// Those that wait for a lock although their caller was cancelled.
    package var abandonedThreads: Int { waits.abandonedThreads }
  }
#endif
