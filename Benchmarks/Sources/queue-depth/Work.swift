import Comparing

/// What a job does.
enum Work: Sendable {
  case nothing
  case suspends
  case spins
  /// Stands in the way until the gate is opened.
  case waits(Gate)

  @inline(never)
  nonisolated(nonsending) func callAsFunction() async {
    switch self {
    case .nothing: break
    case .suspends: await Task.yield()
    case .spins: spin()
    case .waits(let gate): await gate.pass()
    }
  }

  /// Does it without suspending, for a queue whose jobs are synchronous.
  @inline(never)
  func now() {
    switch self {
    case .nothing: break
    case .suspends: preconditionFailure("a synchronous job cannot suspend")
    case .spins: spin()
    case .waits(let gate): gate.block()
    }
  }

  private func spin() {
    let end = ContinuousClock.now + .microseconds(100)
    while ContinuousClock.now < end {}
  }
}

/// What the jobs of a contest do.
enum JobKind: String, CaseIterable {
  case nothing
  case suspends = "suspends once"
  case spins = "100 µs"

  var work: Work {
    switch self {
    case .nothing: .nothing
    case .suspends: .suspends
    case .spins: .spins
    }
  }

  /// Jobs of 100 µs take a second each 10 000, on whichever queue.
  func limit(quick: Bool, deep: Bool) -> Int {
    self != .spins ? .max : quick ? 100 : deep ? 10_000 : 1_000
  }

  /// A job of 100 µs can be seen without being repeated a thousand times.
  var jobsOfRound: Int { self == .spins ? 20 : jobsOfShortRound }
}
