import SerialTasks

/// An engine: what grants one process at a time access to a key.
///
/// It stands on something that exists already: locked files (``LockFolder``), the leases of a lock service, the advisory locks
/// of a database. A ``FencedSerialTaskExecutor`` stands in front of it.
///
/// A conformance keeps these promises; `AccessConformance`, in the product `SerialTasksFencedTesting`, checks them:
///
/// - **Exclusion.** While one turn runs, no other turn of the key begins, in whichever process. An engine whose grants can
///   expire cannot promise this of a process that was paused. There ``Fence/check()`` throws once the loss is known, and the
///   store refuses the number.
/// - **Fence.** The number rises with every grant of a key, in whichever process, and never starts again. ``Fence/check()``
///   throws when the turn has ended, for who keeps the fence: ``Fence/lend(number:check:to:)`` sees to that.
/// - **Cancellation.** If the calling task is cancelled while it waits, this call throws `CancellationError` soon, and the turn
///   does not run. If the calling task is cancelled while the turn runs, access is held until the turn has ended.
/// - **Release.** Access is released when the turn has returned or thrown. If the process is killed, the engine releases it.
/// - **Failure.** If access cannot be had, this call throws before it runs the turn, and a later call tries again. A request that
///   reaches the engine late, or twice, leaves nothing behind that would keep the key from others.
/// - **Keys** do not depend on each other: while one is held or waited for, others are granted, to this process too.
///
/// An engine that hears of the requests of other processes may say so, with ``waitUntilAnotherAsks(for:under:)``. An executor that
/// keeps access for a while (`keepsAccessFor:`) then gives it back early.
public protocol ExclusiveAccess<Key>: Sendable {
  /// Identifies what only one process at a time may work on.
  associatedtype Key: Hashable & Sendable

  /// Waits until this process may work on the key, runs the turn, and releases the key.
  ///
  /// The executor calls this in a task of its own, once at a time for each key. The turn returns when the executor has no more
  /// use for the key.
  ///
  /// - Parameters:
  ///   - key: The key to work on.
  ///   - turn: Runs once, while access is held.
  /// - Throws: Why access could not be had or released; what the turn throws.
  nonisolated(nonsending) func withAccess(
    to key: Key, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws

  /// Waits until another process asks for a key that this one holds.
  ///
  /// An executor that keeps access without a job calls this once for each grant, in a task of its own, and gives access back
  /// early when the call has returned or thrown. It cancels the call when access is to be released, and waits for its end before
  /// that: so react to cancellation soon. The call begins with the grant, and jobs may run meanwhile.
  ///
  /// - If another process asks already, return at once: it may have come before this call.
  /// - Return only because another process asks. A request that is late or was left may count.
  /// - Whether it is woken or looks again and again is the engine's affair. The time from the request of the other process to the
  ///   return of this call is how long that process waits needlessly.
  ///
  /// An engine need not implement it. By default the call waits until it is cancelled: access is then kept for its full time.
  ///
  /// - Parameters:
  ///   - key: A key that this process has been granted.
  ///   - fence: The fence of that grant. Its number tells the request of this process from those of others.
  /// - Throws: `CancellationError`, or why the engine cannot say any more.
  nonisolated(nonsending) func waitUntilAnotherAsks(for key: Key, under fence: Fence) async throws
}

extension ExclusiveAccess {
  /// Waits until the calling task is cancelled, for an engine that does not hear of the requests of other processes.
  ///
  /// - Parameters:
  ///   - key: Not looked at.
  ///   - fence: Not looked at.
  /// - Throws: `CancellationError`.
  public nonisolated(nonsending) func waitUntilAnotherAsks(for key: Key, under fence: Fence) async throws {
    _ = await Latch().wait()
    throw CancellationError()
  }
}
