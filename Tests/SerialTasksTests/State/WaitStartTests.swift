import SerialTasks
import Testing

/// When a caller began to wait, in eight bytes.
struct WaitStartTests {
  /// Fails if: a number of jobs is taken for a moment, or the other way round, or the first of either for nothing.
  @Test func eitherANumberOrAMoment() {
    #expect(WaitStart().ahead == nil && WaitStart().moment == nil && !WaitStart().isMoment)
    for ahead in [0, 1, 100_000] {
      let start = WaitStart(ahead: ahead)
      #expect(start.ahead == ahead && start.moment == nil && !start.isMoment)
      #expect(start.elapsed(at: .seconds(1)) == nil)
    }
    for moment in [Duration.zero, .nanoseconds(1), .seconds(3), .seconds(100 * 365 * 86_400)] {
      let start = WaitStart(at: moment)
      #expect(start.moment == moment && start.ahead == nil && start.isMoment)
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
