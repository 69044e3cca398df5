import SerialTasksFenced
import SerialTasksTesting

extension FencedSerialTaskExecutor {
  /// Returns when at least this many jobs wait in this process, of all keys together.
  ///
  /// Counts the jobs that `snapshot.waiting` counts: the first job of a key that waits for access counts as running. Otherwise
  /// like `waits(for:)` of `KeyedSerialTaskExecutor`.
  ///
  /// - Parameter count: The number of jobs to wait for; with zero or less, the call returns at once.
  /// - Throws: `CancellationError` if the calling task is cancelled before, or `WaitTimedOut` after ten seconds without enough
  ///   jobs (`withPatience`).
  public nonisolated(nonsending) func waits(for count: Int) async throws { try await lines.waits(for: count) }

  /// Returns when at least this many jobs of the key wait in this process.
  ///
  /// Counts the jobs that `snapshot(for:).waiting` counts. Otherwise like ``waits(for:)``.
  ///
  /// - Parameters:
  ///   - count: The number of jobs to wait for; with zero or less, the call returns at once.
  ///   - key: The key whose jobs to count.
  /// - Throws: `CancellationError` if the calling task is cancelled before, or `WaitTimedOut` after ten seconds without enough
  ///   jobs (`withPatience`).
  public nonisolated(nonsending) func waits(for count: Int, of key: Key) async throws {
    try await lines.waits(for: count, of: key)
  }
}
