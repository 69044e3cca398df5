import SerialTasks
import Testing

/// When a caller began to wait, in eight bytes.
struct WaitStartTests {
  /// Fails if: the first moment is taken for none.
  @Test func aMomentOrNone() {
    #expect(WaitStart().moment == nil && !WaitStart().isMoment && WaitStart().elapsed(at: .seconds(1)) == nil)
    for moment in [Duration.zero, .nanoseconds(1), .seconds(3), .seconds(100 * 365 * 86_400)] {
      let start = WaitStart(at: moment)
      #expect(start.moment == moment && start.isMoment)
      #expect(start.elapsed(at: moment + .seconds(2)) == .seconds(2))
    }
  }

  /// Fails if: a clock that was set back makes a wait shorter than nothing, or a moment out of reach traps.
  @Test func aClockIsNotToBeTrusted() {
    #expect(WaitStart(at: .seconds(3)).elapsed(at: .seconds(1)) == .zero)
    #expect(WaitStart(at: .seconds(-3)).moment == .zero)
    #expect(WaitStart(at: .seconds(Int64.max / 2)).isMoment)
  }

  /// Fails if: it takes more than its eight bytes in each waiter.
  @Test func itIsSmall() { #expect(MemoryLayout<WaitStart>.size == 8) }
}
