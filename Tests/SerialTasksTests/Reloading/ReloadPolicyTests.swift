import CoalescingTasks
import Testing

/// What each policy does to each that runs already, and what every caller gets: the table of ``ReloadPolicy``.
@Suite(.watched) struct ReloadPolicyTests {
  static let cells = ReloadPolicy.allCases.flatMap { asked in ReloadPolicy.allCases.map { (asked, $0) } }

  /// What can be seen of one cell.
  struct Seen: Equatable {
    /// What the caller of the load that ran got, and what the new one did.
    var first: Int
    var second: Int
    var applied: [Int]
    var loads: Int
    var cancelled: [Int]
    /// Whether a second load ran while the first had not ended.
    var overlapped: Bool

    static func expected(_ asked: ReloadPolicy) -> Seen {
      switch asked {
      case .join: Seen(first: 1, second: 1, applied: [1], loads: 1, cancelled: [], overlapped: false)
      case .rerun: Seen(first: 1, second: 2, applied: [1, 2], loads: 2, cancelled: [], overlapped: false)
      case .supersede: Seen(first: 2, second: 2, applied: [2], loads: 2, cancelled: [1], overlapped: true)
      }
    }
  }

  /// ```
  /// first   ├─ load 1 ───── … ┤
  /// second       ├─ asks ──── … ┤   the cell
  /// ```
  func see(_ asked: ReloadPolicy, while running: ReloadPolicy) async throws -> Seen {
    let screen = LoadedScreen()
    let first = await screen.beginning(Trigger(running))
    let second = screen.asking(Trigger(asked))
    // Only what was replaced lets another load run beside it.
    let overlapped = screen.reloader.snapshot.reason == Trigger(asked) && asked == .supersede
    if overlapped { await screen.began(2) }
    #expect(screen.reloader.snapshot.waiting == 2)
    screen.openAll()
    let answers = [try await first.value, try await second.value]
    try await screen.settled()
    try await until { screen.source.cancelled.entries.count == (overlapped ? 1 : 0) }
    return Seen(
      first: answers[0], second: answers[1], applied: screen.applied.entries, loads: screen.loads,
      cancelled: screen.source.cancelled.entries, overlapped: overlapped)
  }

  /// Fails if: a policy does anything else to a load that runs, or its callers get anything else, whatever the policy of that load.
  @Test(arguments: cells) func theTableIsWhatHappens(asked: ReloadPolicy, running: ReloadPolicy) async throws {
    #expect(try await see(asked, while: running) == .expected(asked))
  }

  /// Fails if: a request joins a load that waits where one runs.
  @Test func joiningTakesWhatRunsAndNotWhatWaits() async throws {
    let screen = LoadedScreen()
    let first = await screen.beginning(.appear)
    let (follower, joiner) = (screen.asking(.pull), screen.asking(.appear))
    screen.open(1)
    #expect(try await first.value == 1)
    #expect(try await joiner.value == 1)
    screen.open(2)
    #expect(try await follower.value == 2)
  }

  /// Whether the new load begins while a cancellation handler of the old one runs, which looks for that for a while.
  /// ```
  /// main thread   ├─ change! ─ the handler of load 1 ──────┤
  /// load 1        ├─ runs ····································┤
  /// load 2                        ├─ runs ···
  /// ```
  @MainActor private func beginsBesideTheHandlersOfTheOld() async throws -> Bool {
    let (begun, seen, gate) = (Log<Trigger>(), Log<Bool>(), Gate())
    let reloader = Reloader<Trigger, Void> { @concurrent trigger in
      begun(trigger)
      await withTaskCancellationHandler {
        await gate.pass()
      } onCancel: {
        seen((0..<50_000).contains { _ in begun.entries.count == 2 })
      }
    } apply: { _ in
    }
    reloader.request(.appear)
    await gate.arrived()
    reloader.request(.change)
    gate.open()
    try await until { reloader.snapshot.running == 0 }
    return seen.entries == [true]
  }

  /// The pool may be busy, so there are many rounds, urgent ones, and one is enough.
  ///
  /// Fails if: the new load begins only when the old one's cancellation handlers have run.
  @Test func theNewLoadDoesNotWaitForTheHandlersOfTheOld() async throws {
    let hasBegun = Task(priority: .high) {
      for _ in 0..<200 where try await beginsBesideTheHandlersOfTheOld() { return true }
      return false
    }
    #expect(try await hasBegun.value)
  }

  /// One joins what runs after another has asked to follow it.
  ///
  /// Fails if: callers of the load that runs are carried over before those of the one that waits, in whatever order they came.
  @Test @MainActor func callersThatAreCarriedOverGoOnInTheOrderInWhichTheyCame() async throws {
    let screen = LoadedScreen()
    let (answered, thread, reloader) = (Log<Int>(), OneThread(), screen.reloader)
    func asking(_ caller: Int, _ trigger: Trigger) -> Task<Void, any Error> {
      thread.start {
        let answer = try await reloader.reload(trigger)
        #expect(answer == 2)
        answered(caller)
      }
    }
    let first = asking(1, .appear)
    await screen.began(1)
    let others = [asking(2, .pull), asking(3, .appear), asking(4, .pull), asking(5, .change)]
    try await thread.allHaveParked()
    screen.openAll()
    for caller in [first] + others { try await caller.value }
    #expect(answered.entries == [1, 2, 3, 4, 5])
  }
}
