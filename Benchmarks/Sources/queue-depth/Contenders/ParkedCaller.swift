import Comparing
import Synchronization

/// The floor of leaving: each caller waits for its own cancellation and for nothing else.
final class ParkedCaller: Leavable {
  static let title = "parked continuation"
  static let keepsOrder = false
  private let parked = Atomic(0)

  var waiting: Int { parked.load(ordering: .relaxed) }
  func block() {}
  nonisolated(nonsending) func enqueue(_ work: Work) async { await work() }

  nonisolated(nonsending) func enqueueOrLeave() async {
    parked.add(1, ordering: .relaxed)
    await Parked().untilCancelled()
  }
}
