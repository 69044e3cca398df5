/// One candidate in one setting.
package struct Entry: Sendable {
  package let candidate: String
  /// Whether it is there to be compared with only: it keeps no order, or shares nothing.
  package let isBaseline: Bool
  /// Plays one round.
  package let round: @Sendable () async -> Sample
  /// Bytes of each waiting job; `nil` where that is not measured.
  package let weigh: (@Sendable () async -> Double?)?

  package init(
    _ candidate: String, isBaseline: Bool, weigh: (@Sendable () async -> Double?)? = nil,
    round: @escaping @Sendable () async -> Sample
  ) {
    self.candidate = candidate
    self.isBaseline = isBaseline
    self.weigh = weigh
    self.round = round
  }
}

/// What one round found.
package struct Sample: Sendable {
  package let nanosecondsPerJob: Double
  /// How often the backend was called, where there is one.
  package let backendCalls: Int?

  package init(nanosecondsPerJob: Double, backendCalls: Int? = nil) {
    self.nanosecondsPerJob = nanosecondsPerJob
    self.backendCalls = backendCalls
  }
}

/// Candidates that take turns in one setting.
package struct Contest: Sendable {
  package let setting: Setting
  /// The candidate that the others are compared with.
  package let floor: String
  package var entries: [Entry]
  /// Who cannot do this at all, and why.
  package var absent: [Absence]

  package init(_ setting: Setting, floor: String, entries: [Entry], absent: [Absence] = []) {
    self.setting = setting
    self.floor = floor
    self.entries = entries
    self.absent = absent
  }
}

/// A candidate that is not in a table, and why.
package struct Absence: Hashable, Sendable {
  package let candidate: String
  package let why: String

  package init(_ candidate: String, _ why: String) {
    self.candidate = candidate
    self.why = why
  }
}
