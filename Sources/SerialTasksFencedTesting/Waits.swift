import SerialTasksFenced
import SerialTasksTesting

extension FencedSerialTaskExecutor {
  /// Returns when at least so many jobs wait in this process, of all keys together; at once if they do already.
  ///
  /// What counts is what `snapshot.waiting` counts: the first job of a key that waits for access counts as running. In every
  /// other respect like `waits(for:)` of `KeyedSerialTaskExecutor`.
  ///
  /// - Parameter count: How many jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError` if the calling task is cancelled before, or `WaitTimedOut` if so few come for ten seconds
  ///   (`withPatience`).
  public nonisolated(nonsending) func waits(for count: Int) async throws { try await lines.waits(for: count) }

  /// Returns when at least so many jobs of the key wait in this process, at once if they do already.
  ///
  /// What counts is what `snapshot(for:).waiting` counts. Like ``waits(for:)`` in every other respect.
  ///
  /// - Parameters:
  ///   - count: How many jobs to wait for; with zero or less, the call returns at once.
  ///   - key: The key whose jobs to count.
  /// - Throws: `CancellationError` if the calling task is cancelled before, or `WaitTimedOut` if so few come for ten seconds
  ///   (`withPatience`).
  public nonisolated(nonsending) func waits(for count: Int, of key: Key) async throws {
    try await lines.waits(for: count, of: key)
  }
}
