import Testing

/// The tests of the snippets are not run here.
struct Watched: SuiteTrait, TestTrait {}

extension Trait where Self == Watched {
  nonisolated static var watched: Watched { Watched() }
}

func until(_ condition: () -> Bool) async throws {}
