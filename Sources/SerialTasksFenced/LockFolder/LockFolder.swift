#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Access for one process at a time on one machine: a folder with a locked file for each key.
///
/// All processes that open the same folder exclude each other: an app and its extension, two runs of a command-line tool, several
/// workers on one machine. Within a process, two calls exclude each other as well.
///
/// ```swift
/// let accounts = FencedSerialTaskExecutor<String>(
///   name: "accounts", access: try LockFolder("/var/lib/bank/locks"))
/// ```
///
/// **Keys.** Any string is a key, and each has a file of its own. The bytes of its UTF-8 count: two strings that Swift takes for
/// equal, for their letters are composed differently, are one key inside a process and two between processes.
///
/// **Locks** are those of `flock`. If the holder is killed, the system releases its lock. A holder that is stopped or hangs keeps
/// it, and the others wait, as they do for a process that is stopped while it is next: the system takes a lock from no process
/// that lives. Waiting blocks a thread for each key that is
/// locked elsewhere, never one of Swift's concurrency. A process that releases a key and asks for it again stands behind the
/// processes that wait for it.
///
/// **Fences.** The counter of a key is kept in its file, and is on the disk before the turn begins. A crash does not lower it,
/// whenever it comes. If the file or the folder is removed, the counter starts again from the time of day in microseconds, and so
/// above all numbers that it gave, unless the clock was set back.
///
/// **Removing.** Do not remove the folder, or a file in it, while processes use it: what they have locked then is not what others
/// lock. ``Fence/check()`` notices, and a request for access throws if the folder is gone. An idle key keeps its two small files;
/// they may be removed when no process runs.
///
/// **What it does not serve:**
/// - *File systems of a network* (NFS, SMB, and those of containers and virtual machines that share a folder of their host).
///   There `flock` may exclude no other process, or only those of one machine.
/// - *A suspended iOS app* that holds a lock in a container that it shares with its extensions. The system kills it (`0xdead10cc`).
///   End jobs before the app is suspended: call `cancelAll()` and `drain()` in a background task.
/// - *Several machines.* Use the leases of a lock service behind an ``ExclusiveAccess`` of your own.
public struct LockFolder: ExclusiveAccess {
  private let waits: LockWaits

  /// The folder, as an absolute path.
  public let path: String

  /// Opens the folder, which is made if it does not exist; the folder that it is in must exist.
  ///
  /// - Parameter path: The path of the folder, which all processes must be able to write to. Use it for nothing else.
  /// - Throws: A ``LockFolderError`` if it cannot be made, is not a folder, or cannot be written to.
  public init(_ path: String) throws(LockFolderError) {
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw .current("mkdir", path) }
    guard try Descriptor(path, O_RDONLY).isFolder else { throw .notAFolder(path: path) }
    if access(path, R_OK | W_OK | X_OK) != 0 { throw .current("access", path) }
    guard let resolved = realpath(path, nil) else { throw .current("realpath", path) }
    defer { free(resolved) }
    self.path = String(cString: resolved)
    waits = LockWaits(self.path)
  }

  /// Waits until this process has locked the key's file and counted, runs the turn, and unlocks the file.
  ///
  /// - **Cancellation** of the calling task: *waiting*, the call throws `CancellationError` at once. *Running*, the turn decides.
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
    try await turn(locked.fence)
  }

  /// The number of threads that wait for a lock though the caller that wanted it was cancelled.
  package var abandonedThreads: Int { waits.abandonedThreads }
}
