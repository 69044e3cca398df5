import Synchronization

/// A wish to end early, as Ctrl-C says it.
final class Interruption: Sendable {
  private let asked = Atomic(false)
  /// How often those look who wait for it.
  private static let slice: Duration = .milliseconds(20)

  var isAsked: Bool { asked.load(ordering: .acquiring) }

  /// Asks for it.
  ///
  /// - Returns: Whether it had been asked for before.
  @discardableResult func ask() -> Bool { asked.exchange(true, ordering: .acquiringAndReleasing) }

  /// Sleeps for so long, or until it is asked for.
  func sleep(for time: Duration) async {
    let stopwatch = Stopwatch()
    while !isAsked, !Task.isCancelled, stopwatch.time < time {
      try? await Task.sleep(for: min(Self.slice, time - stopwatch.time))
    }
  }

  /// Calls the closure when it is asked for; not if the task is cancelled before.
  func whenAsked(_ body: () -> Void) async {
    while !isAsked {
      do { try await Task.sleep(for: Self.slice) } catch { return }
    }
    body()
  }
}
