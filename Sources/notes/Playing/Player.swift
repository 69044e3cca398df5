import SerialTasks

/// Plays calls on a repository through a route, and notes down when each was asked for, began and ended.
struct Player {
  let repository: NotesRepository
  let route: any Route
  private let clock = ContinuousClock()

  init(repository: NotesRepository, route: any Route) {
    self.repository = repository
    self.route = route
  }

  /// Plays the calls, which are in the order of their places.
  ///
  /// - Parameters:
  ///   - calls: What to play.
  ///   - finished: Called after each call that has ended, in the order of places.
  /// - Returns: What became of each call, by place.
  func play(_ calls: [TimedCall], finished: (PlayedCall) -> Void = { _ in }) async -> Run {
    let (asked, asks) = AsyncStream.makeStream(of: AskedCall.self)
    let beginning = clock.now
    let played = await withTaskGroup { group in
      // One task asks and another waits, so that what has ended can be told while there is more to ask.
      group.addTask {
        for call in calls { asks.yield(await ask(call, from: beginning)) }
        asks.finish()
      }
      var played: [PlayedCall] = []
      for await call in asked {
        played.append(await call.played(place: played.count + 1))
        finished(played[played.count - 1])
      }
      return played
    }
    return Run(route: route.title, calls: played)
  }

  private func ask(_ timed: TimedCall, from beginning: ContinuousClock.Instant) async -> AskedCall {
    let due = beginning + timed.at
    if due > clock.now { try? await clock.sleep(until: due) }
    let asked = clock.now - beginning
    let pending = route.ask(timed.call) { [repository, clock] in
      let started = clock.now - beginning
      let outcome = await repository.perform(timed.call, taking: timed.takes)
      return Execution(started: started, finished: clock.now - beginning, outcome: outcome)
    }
    return AskedCall(timed: timed, asked: asked, pending: pending)
  }
}

/// A call on its way.
private struct AskedCall {
  let timed: TimedCall
  let asked: Duration
  let pending: PendingCall

  func played(place: Int) async -> PlayedCall {
    let execution =
      switch await pending.ended() {
      case .success(let execution): execution
      case .failure(let rejection):
        // It never ran; what never began is drawn where it was asked for.
        Execution(started: asked, finished: asked, outcome: .failure(.unavailable(rejection)))
      }
    return PlayedCall(
      place: place, timed: timed, asked: asked, started: execution.started, finished: execution.finished,
      outcome: execution.outcome)
  }
}
