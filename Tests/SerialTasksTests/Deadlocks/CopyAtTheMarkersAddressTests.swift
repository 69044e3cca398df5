#if !SERIALTASKS_NO_PROBE
  import SerialTasks
  import Testing

  /// A copy of a copy of a marker can come to lie where the marker lay, and looks like it.
  @Suite(.watched) struct CopyAtTheMarkersAddressTests {
    /// Leaves a marker where it lay when its turn has ended, as the allocator may.
    ///
    /// Fails if: a marker is taken for certain because of its address alone. (In a program it takes luck, and ends in a crash.)
    @Test func itIsOnlyCertainWhileItsTurnGoesOn() {
      let storage = UnsafeMutablePointer<TurnMarker>.allocate(capacity: 1)
      defer { storage.deallocate() }
      let holder = Line(name: "notes", type: "Line", capacity: nil, onEvent: nil)
      let marker = TurnMarker(holder: holder)
      storage.initialize(to: marker)
      #expect(TurnMarker.Certain(storage) == nil, "it does not know yet where it lies")
      TurnMarker.settle(at: storage)
      #expect(TurnMarker.Certain(storage)?.holder === holder)
      marker.end()
      #expect(TurnMarker.Certain(storage) == nil, "its turn has ended")
      let next = TurnMarker(holder: holder)
      #expect(TurnMarker.Certain(storage) == nil, "another turn of the same holder goes on")
      next.end()
    }

    /// A slot is handed on when its holder is gone, and its turns are still told apart.
    @Test func alsoWhenTheHolderIsGone() {
      let storage = UnsafeMutablePointer<TurnMarker>.allocate(capacity: 1)
      defer { storage.deallocate() }
      do {
        let holder = Line(name: "gone", type: "Line", capacity: nil, onEvent: nil)
        let marker = TurnMarker(holder: holder)
        storage.initialize(to: marker)
        TurnMarker.settle(at: storage)
        marker.end()
      }
      let others = (0..<8).map { Line(name: "\($0)", type: "Line", capacity: nil, onEvent: nil) }
      let markers = others.map { TurnMarker(holder: $0) }
      #expect(TurnMarker.Certain(storage) == nil)
      for marker in markers { marker.end() }
    }
  }
#endif
