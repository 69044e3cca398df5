import Testing

/// Has tests watched: when they hang, the process ends in seconds and says which do.
///
/// Not for tests that wait for another process, as exit tests do: nothing runs in this one meanwhile.
package struct Watched: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let place = test.sourceLocation
    try await HangWatch.shared.watch("\(place.fileID):\(place.line) \(test.name)", body)
  }
}

extension Trait where Self == Watched {
  package static var watched: Watched { Watched() }
}
