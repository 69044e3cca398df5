#if !os(Windows) && !os(WASI)
  /// Access for one process at a time on one machine: a folder with a locked file for each key.
  ///
  /// All processes that open the same folder exclude each other: an app and its extension, two runs of a command-line tool,
  /// several workers on one machine. Within a process, two calls exclude each other as well.
  ///
  /// ```swift
  /// let accounts = FencedSerialTaskExecutor<String>(
  ///   name: "accounts", access: try LockFolder("/var/lib/bank/locks"))
  /// ```
  ///
  /// **Keys.** Any string is a key, and each has a file of its own. The bytes of its UTF-8 count: two strings that Swift takes
  /// for equal, although their letters are composed differently, are one key inside a process and two between processes. A key that
  /// is locked costs an open file, also while access to it is kept.
  ///
  /// **Locks** are those of `flock`. If the holder is killed, the system releases its lock. A holder that is stopped or hangs
  /// keeps it, and the others wait, as they do for a process that is stopped while it is next: the system takes a lock from no
  /// process that lives. Waiting blocks a thread for each key that is locked elsewhere, never one of Swift's concurrency; if the
  /// system gives no thread, the call throws. A process that releases a key and asks for it again stands behind the processes
  /// that wait for it.
  ///
  /// **Fences.** The counter of a key is kept in its file, and is on the disk before the turn begins. A crash does not lower it,
  /// whenever it comes. If the file or the folder is removed, the counter starts again from the time of day in microseconds, and
  /// so above all numbers that it gave, unless the clock was set back.
  ///
  /// **Removing.** Do not remove the folder, or a file in it, while processes use it: what they have locked then is not what
  /// others lock. ``Fence/check()`` notices, and a request for access throws if the folder is gone. An idle key keeps its two
  /// small files; they may be removed when no process runs.
  ///
  /// **Rights.** Who may write to the folder can take exclusion away: by removing files, and by lowering their counters. Who may
  /// open a file can hold its lock for ever. So these rights belong to no one but the users whose processes share the keys. The
  /// folder is made for its user and group (mode `0770`, less what the process masks), and so are its files (`0660`). A folder
  /// that is there already must belong to the user of the process or to root, and not every user may write to it. Users who share
  /// one need a common group: give the folder to root and that group, with mode `2770`, and run the processes with a mask of
  /// `007`. In such a folder the files of all of its users count, in any other only those of the user and of root.
  ///
  /// Nothing outside of the folder is written to, whatever lies in it: a file that is a symbolic link, is not a regular file or
  /// has several names is not used, and the call throws ``LockFolderError/untrusted(path:reason:)``. Symbolic links in the path
  /// of the folder itself are followed, once, when it is opened. So no other user may have rights in the folders that lead to it,
  /// either.
  ///
  /// **What it does not serve:**
  /// - *Windows and WASI*, which have no `flock`. There this type does not exist; ``FencedSerialTaskExecutor`` does, with an
  ///   ``ExclusiveAccess`` of your own.
  /// - *File systems of a network* (NFS, SMB, and those of containers and virtual machines that share a folder of their host).
  ///   There `flock` may exclude no other process, or only those of one machine.
  /// - *A suspended iOS app* that holds a lock in a container that it shares with its extensions. The system kills it
  ///   (`0xdead10cc`). Call `pauseAndWait()` of the executor in a background task before that: it returns when this process holds
  ///   no lock. A thread may still wait for a lock of another process, and holds none while it does.
  /// - *Several machines.* Use the leases of a lock service behind an ``ExclusiveAccess`` of your own.
  public struct LockFolder: ExclusiveAccess {
    private let waits: LockWaits

    /// The folder, as an absolute path.
    public let path: String

    /// Opens the folder, which is made if it does not exist; the folder that it is in must exist.
    ///
    /// - Parameter path: The path of the folder, which all processes must be able to write to, and no others. Use it for nothing
    ///   else.
    /// - Throws: A ``LockFolderError`` if it cannot be made, is not a folder, cannot be written to, or is open to others.
    public init(_ path: String) throws(LockFolderError) {
      let folder = try Folder(path)
      self.path = folder.path
      waits = LockWaits(folder)
    }

    /// Waits until this process has locked the key's file and counted, runs the turn, and unlocks the file.
    ///
    /// - **Cancellation** of the calling task: *waiting*, the call throws `CancellationError` at once. *Running*, the turn
    ///   decides.
    /// - **Order:** the processes that wait have their turns one after another, nearly in the order in which they came.
    /// - **Complexity:** two files are opened, and one is written and synchronized with the disk, which is most of the cost.
    ///
    /// - Parameters:
    ///   - key: Any string.
    ///   - turn: Runs once, while the key is locked.
    /// - Throws: A ``LockFolderError``: then nothing was locked, and a later call tries again; `CancellationError`; what the turn
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
    /// The system cannot report that, so this call looks again and again: first after a millisecond, then whenever the
    /// wait has become longer by an eighth, and at least twenty times a second.
    ///
    /// - Parameters:
    ///   - key: A key that this process has locked.
    ///   - fence: Not looked at.
    /// - Throws: `CancellationError`, or a ``LockFolderError``.
    public nonisolated(nonsending) func waitUntilAnotherAsks(for key: String, under fence: Fence) async throws {
      let name = FileName(of: key)
      let start = ContinuousClock.now
      while try !waits.isAwaited(name) {
        let pause = min(max(.milliseconds(1), start.duration(to: .now) / 8), .milliseconds(50))
        try await Task.sleep(for: pause)
      }
    }

    /// The number of threads that wait for a lock though the caller that wanted it was cancelled.
    package var abandonedThreads: Int { waits.abandonedThreads }
  }
#endif
