/// How much time there is.
package struct Pace: Sendable {
  /// Rounds that count; one before them does not.
  package let rounds: Int
  /// A candidate whose round takes longer than this plays no other, and none that would take longer still.
  package let longestRound: Duration
  /// How often the bytes of waiting jobs are read; the median counts.
  package let weighings: Int
  /// When to stop, whatever is left.
  package let limit: Duration?

  package static let full = Pace(rounds: 7, longestRound: .seconds(8), weighings: 3, limit: nil)
  package static let quick = Pace(rounds: 3, longestRound: .milliseconds(700), weighings: 1, limit: .seconds(48))
}
