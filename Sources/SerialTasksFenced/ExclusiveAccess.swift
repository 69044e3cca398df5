/// The seam to other processes: what grants one process at a time access to a key.
///
/// Behind it stands an engine that exists already: locked files (``LockFolder``), the leases of a lock service, the advisory
/// locks of a database. A ``FencedSerialTaskExecutor`` stands in front of it.
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
/// - **Failure.** If access cannot be had, this call throws before it runs the turn, and a later call tries again.
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
}
