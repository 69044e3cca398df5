#if SERIALTASKS_LYING_PROBE
  /// A runtime in which copies of a task share the storage of its task-locals: for tests of what is left then.
  enum LyingRuntime {
    private struct Owner: Hashable {
      let generation: UInt
      let turn: UInt64
    }

    /// Where what is shared lies; never freed, as a copy may outlive its turn.
    private static let shared = Lock<[Owner: UInt]>([:])

    static func storage(of marker: TurnMarker) -> UnsafeMutablePointer<TurnMarker> {
      let owner = Owner(generation: marker.generation.identity, turn: marker.turn)
      let address = shared.withLock { known in
        if let address = known[owner] { return address }
        let storage = UnsafeMutablePointer<TurnMarker>.allocate(capacity: 1)
        storage.initialize(to: marker)
        known[owner] = UInt(bitPattern: storage)
        return UInt(bitPattern: storage)
      }
      return UnsafeMutablePointer(bitPattern: address)!
    }
  }
#endif
