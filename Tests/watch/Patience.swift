import Foundation

/// How long a test looks again and again whether something has happened: a watch, and no promise of the library.
///
/// Such a test works, so ``HangWatch`` does not find it. It may have to wait until the other tests have had their turns of the
/// processors, and that is long on a slow machine; so it loses its patience only when none of them begins or ends any more while the
/// process uses so much processor time. By a clock, other processes on the machine could make it fail.
package struct Patience: Sendable {
  package struct Over: Error, CustomStringConvertible {
    let place: String
    package var description: String {
      "for \(Patience.seconds) seconds of processor time no test has ended, and \(place) waits in vain"
    }
  }

  #if SERIALTASKS_TSAN
    package static let seconds = 600
  #else
    /// Less where few tests run at a time, and many are expected to wait in vain.
    package static let seconds = ProcessInfo.processInfo.environment["SERIALTASKS_PATIENCE"].flatMap { Int($0) } ?? 120
  #endif

  private let place: String
  private let start = HangWatch.shared.used
  private var looks = 0

  package init(file: StaticString, line: Int) { place = "\(file):\(line)" }

  /// A look was in vain; throws when that was too often.
  package mutating func lookAgain() throws {
    looks += 1
    let isOver = looks.isMultiple(of: 64) && HangWatch.shared.stillness(since: start) >= .seconds(Patience.seconds)
    if isOver { throw Over(place: place) }
  }
}

/// Returns when the condition holds, for what has no gate; throws when it must be feared that it never will.
package nonisolated(nonsending) func until(
  file: StaticString = #fileID, line: Int = #line, _ condition: () -> Bool
) async throws {
  var patience = Patience(file: file, line: line)
  while !condition() {
    try Task.checkCancellation()
    try patience.lookAgain()
    await Task.yield()
  }
}
