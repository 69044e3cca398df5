import Histories
import Testing

/// A versioned register that readers and writers use on real threads.
@Suite(.serialized, .watched) struct RegisterTests {
  /// Fails if: a read joins across a write of its key, runs beside one, or misses one; a caller is answered by another operation
  /// than the one it waited for; equal reads that met are not one.
  @Test func readersAndWritersAreSequential() async throws {
    var (random, met, rounds) = (SystemRandomNumberGenerator(), Set<Register.Sight>(), 0)
    let end = ContinuousClock.now + .milliseconds(Effort.upTo(4_000))
    // Without all sights the rounds show nothing.
    while rounds < 20 || rounds < 1_000 && (ContinuousClock.now < end || met.count < Register.Sight.allCases.count) {
      let register = Register(workers: 6, calls: 12, &random)
      try await register.play()
      let (broken, sights) = register.verdict
      try #require(broken == nil)
      met.formUnion(sights)
      rounds += 1
    }
    #expect(met == Set(Register.Sight.allCases), "after \(rounds) rounds")
  }

  private func call(
    _ number: Int, _ way: Register.Way, _ times: [Int], of source: Int, _ found: Int, _ left: Int
  ) -> Register.Call {
    let call = Register.Call(number, way, [0])
    (call.asked, call.placed, call.answered, call.answers) = (times[0], times[1], times[4], 1)
    if source == number { (call.runs, call.began, call.ended) = (1, times[2], times[3]) }
    (call.found, call.left, call.value) = ([found], [left], Register.Value(of: source, [left]))
    return call
  }

  /// A read that led, one that joined it, a write, a read of what that left, and a drain.
  private func sound() -> [Register.Call] {
    [
      call(0, .read, [1, 2, 3, 11, 12], of: 0, 0, 0), call(1, .read, [4, .max, 0, 0, 13], of: 0, 0, 0),
      call(2, .write, [6, 7, 14, 15, 16], of: 2, 0, 1), call(3, .read, [8, 10, 17, 18, 19], of: 3, 1, 1),
      call(4, .drain, [9, .max, 0, 0, 16], of: 0, 0, 0),
    ]
  }

  /// Fails if: the verdict on one of these is that nothing, or something else, is broken.
  @Test func wrongRegistersAreFound() {
    let (broken, sights) = Register(madeBy: sound()).verdict
    #expect(broken == nil)
    #expect(sights == [.merged, .parted])
    let wrong: [(promise: String, spoil: ([Register.Call]) -> Void)] = [
      ("no job runs twice", { $0[2].runs = 2 }),
      ("each call is answered once", { $0[1].answers = 2 }),
      ("who left got nothing: its job never ran", { ($0[2].value, $0[2].rejection) = (nil, .cancelled) }),
      ("no call is rejected for what did not happen", { ($0[1].value, $0[1].rejection) = (nil, .withdrawn) }),
      ("a call is answered by its job, or by an equal read", { $0[1].value = Register.Value(of: 2, [1]) }),
      ("an answer is what an operation came to that has ended", { $0[0].left = [1] }),
      ("no read joins one that has answered", { $0[1].asked = 13 }),
      (
        "no read is older than a write before it, and none joins across one",
        { ($0[3].runs, $0[3].value) = (0, Register.Value(of: 0, [0])) }
      ),
      (
        "jobs of a key, of which one writes, run one after the other",
        { ($0[0].ended, $0[0].answered, $0[1].answered) = (15, 16, 16) }
      ),
      (
        "jobs of a key, of which one writes, run in the order of their calls",
        { calls in
          (calls[0].began, calls[0].ended) = (16, 17)
          for call in calls { call.answered = 20 }
        }
      ),
      ("when a drain returns, all that came before it has ended", { $0[4].answered = 12 }),
      (
        "equal reads that meet are one",
        { ($0[1].runs, $0[1].began, $0[1].ended, $0[1].value) = (1, 5, 6, Register.Value(of: 1, [0])) }
      ),
      ("a job finds what the write before it left, and nothing comes between", { $0[3].found = [0] }),
      ("a read is cancelled when its last caller leaves, and only then", { $0[0].isCancelled = true }),
    ]
    let two = Register(madeBy: [sound()[0], call(1, .readText, [1, 2, 4, 9, 12], of: 1, 0, 0)], limit: 1)
    #expect(two.verdict.broken?.hasPrefix("no more reads run than the limit\n") == true)
    for (promise, spoil) in wrong {
      let calls = sound()
      spoil(calls)
      #expect(Register(madeBy: calls).verdict.broken?.hasPrefix("\(promise)\n") == true, "\(promise)")
    }
  }
}
