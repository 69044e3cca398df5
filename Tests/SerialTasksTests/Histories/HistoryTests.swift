import Histories
import SerialTasks
import Testing

/// Histories of random readers and writers on real threads, against the sequential model.
///
/// What the same check finds under explored schedules is in `Tests/explore` (`read-nested`).
@Suite(.serialized, .watched) struct HistoryTests {
  /// Fails if: a read joins across a write of its key, runs beside one, or misses one; a caller is answered by another operation
  /// than the one it waited for; equal reads that met are not one.
  @Test func readersAndWritersAreSequential() async {
    var random = SystemRandomNumberGenerator()
    // Without these the rounds show nothing: some reads must merge, also across writes of other keys, some must be kept apart,
    // and some must run beside each other, and beside writes.
    let needed: Set<History.Sight> = [.merged, .apart, .together, .beside, .across, .overlapping]
    var sights = Set<History.Sight>()
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(Effort.upTo(2_000))
    var rounds = 0
    while rounds < 20 || (rounds < 1_000 && (clock.now < end || !sights.isSuperset(of: needed))) {
      let history = await HistoryRound(workers: 6, calls: 12, &random).play()
      if let broken = history.check() {
        let calls = history.calls.indices.map { "\(history.name($0)): \(history.calls[$0])" }
        Issue.record("\(broken.promise): \(broken.detail)\n\(calls.joined(separator: "\n"))")
        return
      }
      sights.formUnion(history.sights)
      rounds += 1
    }
    #expect(sights.isSuperset(of: needed), "after \(rounds) rounds")
  }
}
