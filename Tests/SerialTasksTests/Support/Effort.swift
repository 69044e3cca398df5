import Foundation

/// How much the tests do that explore histories or race threads: all of it in release in `.ci/night`, a part of it otherwise.
enum Effort {
  /// Whether `SERIALTASKS_LONG=1` asks for all of it.
  static let isFull = ProcessInfo.processInfo.environment["SERIALTASKS_LONG"] == "1"

  /// Returns one of two numbers: how long a history is, say, or how many of them there must be at least.
  static func number(short: Int, full: Int) -> Int { isFull ? full : short }

  /// Whether one of many is taken: each, or every fifth.
  static func takes(_ number: Int) -> Bool { isFull || number.isMultiple(of: 5) }

  /// Returns as many repetitions as are asked for, or a tenth of them.
  ///
  /// A tenth also does under ThreadSanitizer. It makes everything ten times slower, and needs no luck: it sees a race in every
  /// round, lost or won.
  static func upTo(_ many: Int) -> Int { number(short: many / 10, full: many) }
}
