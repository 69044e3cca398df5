import CoalescingTasks
import Testing

/// Races on real threads: something is about to end, and a thread of its own acts in the same moment.
///
/// ```
/// holder     ├── runs ── now! ─ ends ┤
/// thread              ├ spins ┤ cancels, withdraws, or moves the clock
/// ```
@Suite(.serialized, .watched) struct RaceTests {
  /// What happens to callers just as their operation returns.
  enum Fate: CaseIterable, Sendable { case theOnlyOneLeaves, oneOfTwoLeaves, allAreWithdrawn }

  /// Fails if: a caller is resumed by what happens to it and by the landing, or by neither (then this hangs), the operation is cancelled
  /// for a caller that stays, or outlives all; or what lands just after a log-out is kept.
  @Test(arguments: SharedKind.allCases, Fate.allCases)
  func leaveAgainstCompletion(_ kind: SharedKind, _ fate: Fate) async throws {
    // A read that runs answers its callers then.
    if kind == .read, fate == .allAreWithdrawn { return }
    var left = 0
    var rounds = Rounds(2_000)
    while let round = rounds.next(bothWays: left > 0 && left < rounds.played) {
      let (calls, answers, wasCancelled, moment) = (Log<Int>(), Log<Int>(), Log<Bool>(), Moment(round: round))
      let work = SharedWork(kind, validFor: fate == .allAreWithdrawn ? .seconds(60) : .zero) {
        let call = calls.add(0) + 1
        if call > 1 { return call }
        await moment.pass()
        wasCancelled(Task.isCancelled)
        return call
      }
      let callers = (0..<(fate == .oneOfTwoLeaves ? 2 : 1)).map { index in
        Task.immediate {
          defer { answers(index) }
          return try await work.ask()
        }
      }
      let done = moment.race { if fate == .allAreWithdrawn { work.owner.cancelAll() } else { callers[0].cancel() } }
      switch await callers[0].result {
      case .success(let value): #expect(value == 1)
      case .failure(let error):
        left += 1
        #expect(fate == .allAreWithdrawn ? error as? JobRejection == .withdrawn : error is CancellationError)
      }
      if fate == .oneOfTwoLeaves { #expect(try await callers[1].value == 1) }
      await done.pass()
      try await work.owner.drain()
      #expect(answers.entries.sorted() == Array(callers.indices))
      let isWanted = fate == .oneOfTwoLeaves || kind == .renewal && fate == .theOnlyOneLeaves
      if isWanted { #expect(wasCancelled.entries == [false]) }
      // Nothing of it is left: not the operation, not its answer.
      #expect(try await work.ask() == 2)
    }
    #expect(rounds.met(left > 0 && left < rounds.played), "\(left) of \(rounds.played) rounds left: that is no race")
  }

  /// What waits in a line, in each way in which it can be handed in.
  enum Way: CaseIterable, Sendable {
    case call, submission, key, keys, write, writeTouching, read, onlyRead, joinedRead
  }

  private struct Place: Sendable {
    let way: Way
    let clock = ManualClock()
    let line: SerialTaskExecutor
    let keyed: KeyedSerialTaskExecutor<Int>
    let notes: CoalescingTaskExecutor<Int>

    /// In every second round events are reported, which takes other paths.
    init(_ way: Way, round: Int) {
      self.way = way
      let hears: @Sendable (TaskEvent) -> Void = { _ in }
      let onEvent = round % 2 == 0 ? nil : hears
      line = SerialTaskExecutor(name: "line", clock: clock, onEvent: onEvent)
      keyed = KeyedSerialTaskExecutor(name: "keyed", clock: clock, onEvent: onEvent)
      notes = CoalescingTaskExecutor(
        name: "notes", maximumConcurrentReads: way == .onlyRead ? 1 : nil, clock: clock, onEvent: onEvent)
    }

    var part: any Drainable {
      switch way {
      case .call, .submission: line
      case .key, .keys: keyed
      case .write, .writeTouching, .read, .onlyRead, .joinedRead: notes
      }
    }

    /// A job that conflicts with all others.
    func exclusive(_ job: @escaping @Sendable () async -> Void) -> Task<Void, any Error> {
      Task.immediate {
        switch way {
        case .call, .submission: try await line.enqueue(job)
        case .key, .keys: try await keyed.enqueue(touching: [1, 2], job)
        case .write, .writeTouching, .read, .onlyRead, .joinedRead: try await notes.write(job)
        }
      }
    }

    func start(within limit: Duration?, _ job: @escaping @Sendable () async -> Void) -> Contestant {
      if way == .submission {
        let submitted = line.submit { await job() }
        return Contestant(cancel: { submitted.cancel() }, result: { await submitted.result })
      }
      let call = Task.immediate {
        switch way {
        case .call, .submission: try await line.enqueue(waitingAtMost: limit, job)
        case .key: try await keyed.enqueue(for: 1, waitingAtMost: limit, job)
        case .keys: try await keyed.enqueue(touching: [2, 1], waitingAtMost: limit, job)
        case .write: try await notes.write(waitingAtMost: limit, job)
        case .writeTouching: try await notes.write(touching: [2, 1], waitingAtMost: limit, job)
        case .read, .onlyRead, .joinedRead: try await notes.read(1, waitingAtMost: limit, job)
        }
      }
      return Contestant(cancel: { call.cancel() }, result: { await call.result })
    }
  }

  private struct Contestant: Sendable {
    let cancel: @Sendable () -> Void
    let result: @Sendable () async -> Result<Void, any Error>
  }

  /// ```
  /// holder     ├── runs ── now! ─ ends ┤
  /// contestant ├── waits ──────────────┼ granted … or not?
  /// behind     ├── waits ──────────────┼──────┼ runs ┤
  /// thread              ├ spins ┤ cancels the contestant, or lets its time pass
  /// ```
  /// Fails if: the turn is lost when who leaves had been granted it (then this hangs), who saw its rejection runs all the same, a job
  /// runs twice, or the other callers of a read, or its neighbour, suffer.
  @Test(arguments: Way.allCases, [false, true]) func leaveAgainstTheGrant(_ way: Way, isLate: Bool) async throws {
    if way == .submission, isLate { return }
    var (left, ran) = (0, 0)
    var rounds = Rounds(way == .call ? 10_000 : 2_000)
    while let round = rounds.next(bothWays: left > 0 && ran > 0) {
      let (place, moment, runs) = (Place(way, round: round), Moment(round: round), Log<Int>())
      let holder = place.exclusive { await moment.pass() }
      let other = way == .joinedRead ? place.start(within: nil) { runs(1) } : nil
      let contestant = place.start(within: isLate ? .seconds(1) : nil) { runs(1) }
      let isRead = [.read, .onlyRead, .joinedRead].contains(way)
      let neighbour = isRead ? reading(place.notes, 2) { runs(2) } : nil
      let behind = place.exclusive { runs(3) }
      if isLate { try await place.clock.waitForSleepers() }
      let done = moment.race { if isLate { place.clock.advance(by: .seconds(1)) } else { contestant.cancel() } }
      try await holder.value
      switch await contestant.result() {
      case .success:
        ran += 1
        #expect(runs.entries.contains(1))
      case .failure(let error):
        left += 1
        #expect(isLate ? error as? JobRejection == .late : error is CancellationError)
        if !isRead { #expect(!runs.entries.contains(1)) }
      }
      _ = try await other?.result().get()
      try await neighbour?.value
      try await behind.value
      await done.pass()
      try await place.part.drain()
      #expect(Set(runs.entries).count == runs.entries.count && runs.entries.last == 3)
      if isRead { #expect(runs.entries.contains(2)) }
    }
    #expect(rounds.met(left > 0 && ran > 0), "\(left) left, \(ran) ran: that is no race")
  }

  /// Fails if: looking for a cycle and taking the place are not one step. (Then this hangs.)
  @Test func twoInOppositeOrder() async throws {
    let (a, b) = (SerialTaskExecutor(name: "A"), SerialTaskExecutor(name: "B"))
    /// Returns whether it had both.
    @Sendable func take(_ one: SerialTaskExecutor, then other: SerialTaskExecutor, yields: Bool) async throws -> Bool {
      try await one.enqueue {
        if yields { await Task.yield() }
        do {
          try await other.enqueue {}
          return true
        } catch JobRejection.deadlock { return false }
      }
    }
    var (rounds, rejections) = (Rounds(20_000), 0)
    while let round = rounds.next(bothWays: rejections > 0 && rejections < rounds.played) {
      async let one = take(a, then: b, yields: round % 2 == 0)
      async let other = take(b, then: a, yields: round % 3 == 0)
      let rejected = try await [one, other].count { !$0 }
      #expect(rejected < 2)
      rejections += rejected
    }
    #expect(rounds.met(rejections > 0 && rejections < rounds.played))
  }

  /// Each arrival races the last user of its key, and a tenth of the callers are cancelled at some moment.
  ///
  /// Fails if: a key goes out of the table while a caller is about to arrive at it, or (under ThreadSanitizer) a task that awaits a job
  /// asks for its name when the key may be about to go.
  @Test func arrivingAgainstGoing() async throws {
    let keys = KeyedSerialTaskExecutor<Int>(capacityPerKey: 1_000)
    let exclusions = (0..<4).map { _ in Exclusion() }
    await withTaskGroup { group in
      for producer in 0..<4 {
        group.addTask {
          for round in 0..<Effort.upTo(5_000) {
            let key = (round + producer) % 4
            let job: @Sendable () -> Void = {
              exclusions[key].enter()
              exclusions[key].leave()
            }
            let call = Task { try await keys.enqueue(for: key, job) }
            let submitted = keys.submit(for: key, job)
            if round.isMultiple(of: 10) { call.cancel() }
            if round.isMultiple(of: 7) { submitted.cancel() }
            _ = await (call.result, submitted.result)
          }
        }
      }
    }
    try await keys.drain()
    #expect(exclusions.allSatisfy { $0.most == 1 })
    #expect(keys.line.size.busy == 0)
  }

  /// The limit passes just as the last job ends.
  ///
  /// Fails if: the end is missed (then this hangs), or a job is cancelled after its turn.
  @Test func theLimitOfAShutDownAgainstTheLastEnd() async throws {
    var (inTime, late) = (0, 0)
    var rounds = Rounds(2_000)
    let ways: [Way] = [.call, .keys, .write]
    while let round = rounds.next(bothWays: inTime > 0 && late > 0) {
      let (moment, clock, number) = (Moment(round: round), ManualClock(), round % 7)
      let place = number < 3 ? Place(ways[number], round: round) : nil
      let work = SharedWork(SharedKind.allCases[max(0, number - 3)], clock: clock) {
        await moment.pass()
        return 1
      }
      let part: any Drainable = place?.part ?? work.owner
      let job = Task.immediate {
        if let place { try await place.exclusive { await moment.pass() }.value } else { _ = try await work.ask() }
      }
      let end = Task.immediate { await part.shutDown(within: .seconds(1)) }
      try await (place?.clock ?? clock).waitForSleepers()
      let done = moment.race { (place?.clock ?? clock).advance(by: .seconds(1)) }
      _ = await job.result
      if await end.value { inTime += 1 } else { late += 1 }
      await done.pass()
    }
    #expect(rounds.met(inTime > 0 && late > 0))
  }
}
