import SerialTasks
import Testing

/// The call is rejected as a deadlock, and this is the cycle.
nonisolated(nonsending) func expectCycle<Success: ~Copyable>(
  _ path: [String], sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) () async throws -> Success
) async {
  let error = await #expect(throws: JobRejection.self, sourceLocation: sourceLocation) { _ = try await body() }
  #expect(error == .deadlock(DeadlockError(path: path)), sourceLocation: sourceLocation)
}
