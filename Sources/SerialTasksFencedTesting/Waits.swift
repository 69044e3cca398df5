import SerialTasksFenced
import SerialTasksTesting

extension FencedSerialTaskExecutor {
  /// Returns when at least this many jobs wait in this process, of all keys together.
  ///
  /// The first job of a key that waits for access counts as running. Otherwise like `waits(for:)` of
  /// `KeyedSerialTaskExecutor`.
  public nonisolated(nonsending) func waits(for count: Int) async throws { try await lines.waits(for: count) }

  /// Returns when at least this many jobs of the key wait in this process.
  ///
  /// Counts the jobs that `snapshot(for:).waiting` counts. Otherwise like ``waits(for:)``.
  public nonisolated(nonsending) func waits(for count: Int, of key: Key) async throws {
    try await lines.waits(for: count, of: key)
  }
}
