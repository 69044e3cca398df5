import Testing

@testable import SerialTasks

/// What keeps raising cheap: a caller would see it in time alone.
@Suite struct UrgencyTests {
  /// Fails if: each urgent job that comes has what is ready looked at, and not only the first of its priority.
  @Test func whatIsReadyIsRaisedOnceForAPriority() {
    var urgency = Urgency()
    let urgent: [(priority: UInt8, place: Place)] = [(5, 2), (5, 3), (4, 4), (6, 5), (6, 1)]
    #expect(urgent.map { urgency.note($0.priority, at: $0.place) } == [true, false, false, true, false])
  }

  /// Fails if: what a later job outdoes is kept, so that each job that comes looks at one more.
  @Test func onePlaceIsKeptForAPriority() {
    var urgency = Urgency()
    func expect(levels: Int) {
      #expect(Mirror(reflecting: urgency).descendant("levels").map { Mirror(reflecting: $0).children.count } == levels)
    }
    for place: Place in 1...100 { _ = urgency.note(5, at: place) }
    expect(levels: 1)
    for place: Place in 101...200 { _ = urgency.note(place % 2 == 0 ? 3 : 4, at: place) }
    // Outdone when it comes.
    _ = urgency.note(3, at: 150)
    expect(levels: 3)
    _ = urgency.note(5, at: 201)
    expect(levels: 1)
  }
}
