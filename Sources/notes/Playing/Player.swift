/// Plays calls on a repository in one way, and notes down when each was asked for, began and ended.
struct Player {
  private let way: Way
  private let journal: Journal
  private let service: any NotesService

  /// Makes a player, whose clock begins now.
  ///
  /// - Parameters:
  ///   - repository: What the calls are made to.
  ///   - way: The way they take.
  ///   - wrap: What takes the place of the way’s own service, and must keep its promise.
  init(repository: NotesRepository, way: Way, wrap: Way.Wrapping? = nil) {
    self.way = way
    journal = Journal()
    service = wrap?(repository, journal) ?? way.service(repository, journal)
  }

  /// Plays the calls, which are in the order of their places.
  ///
  /// - Parameters:
  ///   - calls: What to play.
  ///   - finished: Called after each call that has ended, in the order of places.
  /// - Returns: What became of each call, by place.
  func play(_ calls: [TimedCall], finished: (PlayedCall) -> Void = { _ in }) async -> Run {
    let (asked, asks) = AsyncStream.makeStream(of: AskedCall.self)
    let played = await withTaskGroup { group in
      // One task asks and another waits, so that ends can be reported while there is more to ask.
      group.addTask { await askForAll(calls, asks) }
      var places: [String: Int] = [:]
      var played: [PlayedCall] = []
      for await call in asked {
        places[call.caller.name] = call.place
        played.append(await call.played(journal) { places[$0] })
        finished(played[played.count - 1])
      }
      return played
    }
    return Run(way: way, calls: played)
  }
}

// MARK: - Asking

extension Player {
  private func askForAll(_ calls: [TimedCall], _ asks: AsyncStream<AskedCall>.Continuation) async {
    var moment = Signal()
    for (index, timed) in calls.enumerated() {
      let pause = timed.at - journal.stopwatch.time
      // It is never cancelled, so it cannot throw.
      if pause > .zero { try? await Task.sleep(for: pause) }
      asks.yield(await ask(timed, place: index + 1, moment))
      guard index + 1 == calls.count || calls[index + 1].at != timed.at else { continue }
      moment.give()
      moment = Signal()
    }
    asks.finish()
  }

  /// Asks, and returns when the call has its place.
  private func ask(_ timed: TimedCall, place: Int, _ moment: Signal) async -> AskedCall {
    let caller = Caller(name: timed.call.name(place: place), moment: moment)
    journal.expect(caller)
    let asked = journal.stopwatch.time
    let task = Task(name: caller.name) { [service, journal] in
      let outcome = await Caller.$current.withValue(caller) {
        await service.perform(timed.call, taking: timed.takes)
      }
      let end = AskedCall.End(at: journal.stopwatch.time, outcome: outcome)
      caller.placed.give()
      return end
    }
    await caller.placed.wait()
    return AskedCall(place: place, timed: timed, caller: caller, asked: asked, task: task)
  }
}

/// A call on its way.
private struct AskedCall {
  struct End {
    let at: Duration
    let outcome: Outcome
  }

  let place: Int
  let timed: TimedCall
  let caller: Caller
  let asked: Duration
  let task: Task<End, Never>

  func played(_ journal: Journal, placeOf: (String) -> Int?) async -> PlayedCall {
    let end = await task.value
    let entry = journal.entry(caller)
    let joined = entry.joined.flatMap(placeOf)
    // What never began is drawn where it was asked for; who joined has waited all the time.
    let finished = entry.ended ?? (joined == nil ? asked : end.at)
    return PlayedCall(
      place: place, timed: timed, asked: asked, started: entry.began ?? finished, finished: finished,
      outcome: end.outcome, operations: entry.operations, joined: joined, hadToWait: entry.hadToWait)
  }
}
