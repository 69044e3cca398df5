import SerialTasks
import Testing

/// A copy of a copy of a marker can come to lie where the marker lay, and looks like it.
@Suite(.watched) struct CopyAtTheMarkersAddressTests {
  /// Leaves a marker where it lay when its turn has ended, as the allocator may.
  ///
  /// Fails if: a marker is taken for certain because of its address alone. (In a program it takes luck, and ends in a crash.)
  @Test(.enabled(if: childrenAreCertain)) func itIsOnlyCertainWhileItsTurnGoesOn() {
    let storage = UnsafeMutablePointer<TurnMarker>.allocate(capacity: 1)
    defer { storage.deallocate() }
    let line = Line(name: "notes", type: "SerialTaskExecutor", clock: AnyClock(ContinuousClock()))
    let marker = TurnMarker(node: line)
    storage.initialize(to: marker)
    #expect(HeldTurn(storage) == nil, "it does not know yet where it lies")
    TurnMarker.bindAddress(at: storage)
    #expect(HeldTurn(storage)?.node === line)
    marker.end()
    #expect(HeldTurn(storage) == nil, "its turn has ended")
    let elsewhere = UnsafeMutablePointer<TurnMarker>.allocate(capacity: 1)
    defer { elsewhere.deallocate() }
    let next = TurnMarker(node: line)
    elsewhere.initialize(to: next)
    #expect(HeldTurn(storage) == nil && HeldTurn(elsewhere) == nil, "another turn of the same line has begun")
    TurnMarker.bindAddress(at: elsewhere)
    #expect(HeldTurn(storage) == nil && HeldTurn(elsewhere) != nil, "it goes on")
    next.end()
    #expect(HeldTurn(elsewhere) == nil)
  }

  /// A generation is handed on when its line is gone, and its turns can still be distinguished.
  @Test func alsoWhenTheHolderIsGone() {
    let storage = UnsafeMutablePointer<TurnMarker>.allocate(capacity: 1)
    defer { storage.deallocate() }
    do {
      let line = Line(name: "gone", type: "SerialTaskExecutor", clock: AnyClock(ContinuousClock()))
      let marker = TurnMarker(node: line)
      storage.initialize(to: marker)
      TurnMarker.bindAddress(at: storage)
      marker.end()
    }
    let others = (0..<8).map { Line(name: "\($0)", type: "SerialTaskExecutor", clock: AnyClock(ContinuousClock())) }
    let markers = others.map { TurnMarker(node: $0) }
    #expect(HeldTurn(storage) == nil)
    for marker in markers { marker.end() }
  }
}
