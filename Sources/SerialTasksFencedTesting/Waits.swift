import SerialTasksFenced
import SerialTasksTesting

extension FencedSerialTaskExecutor {
  /// Returns when at least this many jobs wait in this process, of all keys together.
  ///
  /// The first job of a key that waits for access counts as running. Otherwise like `waitUntil(waiting:)` of
  /// `KeyedSerialTaskExecutor`.
  public nonisolated(nonsending) func waitUntil(waiting count: Int) async throws {
    try await lines.waitUntil(waiting: count)
  }

  /// Returns when at least this many jobs of the key wait in this process.
  ///
  /// Counts the jobs that `snapshot(for:).waiting` counts. Otherwise like ``waitUntil(waiting:)``.
  public nonisolated(nonsending) func waitUntil(waiting count: Int, for key: Key) async throws {
    try await lines.waitUntil(waiting: count, for: key)
  }
}
