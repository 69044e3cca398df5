#if SERIALTASKS_LYING_PROBE
  /// A runtime in which copies of a task share the storage of its task-locals: for tests of what is left then.
  enum LyingRuntime {
    private struct Owner: Hashable {
      let generation: UInt
      let turn: UInt64
    }

    /// What is shared; never freed, as a copy may outlive its turn.
    ///
    /// Safe because that of a turn is used as its storage would be.
    private struct Shared: @unchecked Sendable { let storage: UnsafeMutablePointer<TurnMarker> }

    private static let shared = Lock<[Owner: Shared]>([:])

    static func storage(of marker: TurnMarker) -> UnsafeMutablePointer<TurnMarker> {
      let owner = Owner(generation: marker.generation.identity, turn: marker.turn)
      return shared.withLock { known in
        if let shared = known[owner] { return shared }
        let storage = UnsafeMutablePointer<TurnMarker>.allocate(capacity: 1)
        storage.initialize(to: marker)
        known[owner] = Shared(storage: storage)
        return Shared(storage: storage)
      }.storage
    }
  }
#endif
