/// An engine that grants access to a key to one process at a time.
///
/// It uses an existing mechanism: locked files (``LockFolder``), the leases of a lock service, the advisory locks of a database.
///
/// A conforming type keeps these promises, which `AccessConformance` of `SerialTasksFencedTesting` checks:
///
/// - **Exclusion.** While one turn runs, no other turn of the key begins, in any process. An engine whose grants can
///   expire cannot promise this for a process that was paused. Then ``Fence/check()`` throws once the loss is known,
///   and the store rejects the number.
/// - **Fence.** The number rises with every grant of a key, in any process, and never starts again. After the turn,
///   ``Fence/check()`` throws: ``Fence/lend(number:check:to:)`` does that.
/// - **Cancellation.** If the calling task is cancelled while it waits, this call throws `CancellationError` soon, and
///   the turn does not run. If it is cancelled while the turn runs, access is held until the turn has ended.
/// - **Release.** Access is released when the turn has returned or thrown. If the process is killed, the engine releases it.
/// - **Failure.** If access is refused or fails, this call throws before it runs the turn, and a later call tries
///   again. A request that reaches the engine late, or twice, never blocks the key afterwards.
/// - **Keys** are independent: while one is held or waited for, others are granted, to this process too.
public protocol ExclusiveAccess<Key>: Sendable {
  /// Identifies something on which only one process at a time may work.
  associatedtype Key: Hashable & Sendable

  /// Waits until this process may work on the key, runs the turn once, and releases the key.
  ///
  /// ``FencedSerialTaskExecutor`` calls this in a separate task, once at a time for each key. The turn returns when the
  /// executor no longer needs the key.
  ///
  /// - Throws: Why access could not be granted or released; the turn's error.
  nonisolated(nonsending) func withAccess(
    to key: Key, _ turn: nonisolated(nonsending) (Fence) async throws -> Void
  ) async throws

  /// Waits until another process requests a key that this process holds.
  ///
  /// An executor that keeps access (`keepsAccessFor:`) calls this once for each grant, in a separate task, and
  /// releases access when the call has returned or thrown. The call begins with the grant, and jobs may run
  /// meanwhile. The fence's number distinguishes this process's request from others. Before access is released for
  /// another reason, the call is cancelled and awaited: it must react to cancellation soon.
  ///
  /// - If another process is already waiting, return at once: its request may be older than this call.
  /// - Otherwise return only when another process requests the key. A request that is late or was cancelled may count.
  /// - The engine may be notified or may poll: the other process waits that much longer.
  ///
  /// By default, the call waits until it is cancelled, and access is kept for its full time.
  ///
  /// - Throws: `CancellationError`, or why the engine can no longer report requests.
  nonisolated(nonsending) func waitUntilAnotherAsks(for key: Key, under fence: Fence) async throws
}

extension ExclusiveAccess {
  /// Waits until the calling task is cancelled, for an engine that does not detect the requests of other processes.
  public nonisolated(nonsending) func waitUntilAnotherAsks(for key: Key, under fence: Fence) async throws {
    _ = await Latch().wait()
    throw CancellationError()
  }
}
