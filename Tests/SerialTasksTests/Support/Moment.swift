import Foundation
import Synchronization

/// A flag that one thread raises and another spins on.
private final class Signal: Sendable {
  private let flag = Atomic(false)
  func raise() { flag.store(true, ordering: .releasing) }
  var isRaised: Bool { flag.load(ordering: .acquiring) }
}

/// One round of a race: something that is about to end, and a thread of its own that acts in the same moment.
///
/// The thread spins, and the pool has few. Who is late, and by how much, differs from round to round, so that now one is first
/// and now the other.
struct Moment: Sendable {
  let round: Int
  let gate = Gate()
  private let now = Signal()
  private let seen = Signal()

  init(round: Int) { self.round = round }

  /// What a job or an operation does before it ends.
  func pass() async {
    await gate.pass()
    now.raise()
    // On a busy machine the thread might never be the first otherwise.
    if round.isMultiple(of: 2) { Cores.spin(while: !seen.isRaised) }
    spin(round % 97 * (round % 13))
  }

  /// Returns a gate that opens when the action has been carried out.
  func race(_ action: @escaping @Sendable () -> Void) -> Gate {
    let done = Gate()
    Thread.detachNewThread {
      gate.open()
      Cores.spin(while: !now.isRaised)
      seen.raise()
      spin(round % 89 * 4)
      action()
      done.open()
    }
    return done
  }

  private func spin(_ turns: Int) { for _ in 0..<turns { _ = now.isRaised } }
}
