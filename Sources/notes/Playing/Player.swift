import SerialTasksTesting
import Synchronization

/// Plays calls on a repository in one way, and notes down when each was asked for, began and ended.
struct Player {
  private let way: Way
  private let journal: Journal
  private let service: any NotesService
  private let interruption: Interruption

  /// Makes a player, whose clock begins now.
  ///
  /// - Parameters:
  ///   - repository: What the calls are made to.
  ///   - way: The way they take.
  ///   - wrap: What takes the place of the way’s own service, and must keep its promise.
  ///   - interruption: Ends the run early: what runs ends at once, and what waits is withdrawn.
  init(
    repository: NotesRepository, way: Way, wrap: Way.Wrapping? = nil, interruption: Interruption = Interruption()
  ) {
    self.way = way
    journal = Journal()
    service = wrap?(repository, journal) ?? way.service(repository, journal)
    self.interruption = interruption
  }

  /// Plays the calls, which are in the order of their places.
  ///
  /// - Parameters:
  ///   - calls: What to play.
  ///   - finished: Called after each call that has ended, in the order of places.
  /// - Returns: What became of each call, by place; if it was interrupted, of those that began.
  func play(_ calls: [TimedCall], finished: (PlayedCall) -> Void = { _ in }) async -> Run {
    let (asked, asks) = AsyncStream.makeStream(of: AskedCall.self)
    let underWay = CallsUnderWay()
    let played = await withTaskGroup { group in
      // One task asks and another waits, so that ends can be reported while there is more to ask.
      group.addTask { await askForAll(calls, asks, underWay) }
      group.addTask { await interruption.whenAsked { underWay.cancel() } }
      var places: [String: Int] = [:]
      var played: [PlayedCall] = []
      for await call in asked {
        places[call.caller.name] = call.place
        played.append(await call.played(journal) { places[$0] })
        finished(played[played.count - 1])
      }
      group.cancelAll()
      return played
    }
    return Run(way: way, calls: interruption.isAsked ? PlayedCall.begun(played) : played)
  }
}

// MARK: - Asking

extension Player {
  private func askForAll(
    _ calls: [TimedCall], _ asks: AsyncStream<AskedCall>.Continuation, _ underWay: CallsUnderWay
  ) async {
    var moment = Gate()
    for (index, timed) in calls.enumerated() {
      let pause = timed.at - journal.stopwatch.time
      if pause > .zero { await interruption.sleep(for: pause) }
      if interruption.isAsked { break }
      asks.yield(await ask(timed, place: index + 1, moment, underWay))
      guard index + 1 == calls.count || calls[index + 1].at != timed.at else { continue }
      moment.open()
      moment = Gate()
    }
    moment.open()
    asks.finish()
  }

  /// Asks, and returns when the call has its place.
  private func ask(
    _ timed: TimedCall, place: Int, _ moment: Gate, _ underWay: CallsUnderWay
  ) async -> AskedCall {
    let caller = Caller(name: timed.call.name(place: place), moment: moment)
    journal.expect(caller)
    let asked = journal.stopwatch.time
    let task = Task(name: caller.name) { [service, journal] in
      let outcome = await Caller.$current.withValue(caller) {
        await service.perform(timed.call, taking: timed.takes)
      }
      let end = AskedCall.End(at: journal.stopwatch.time, outcome: outcome)
      caller.placed.open()
      return end
    }
    underWay.add(task.cancel)
    await caller.placed.pass()
    return AskedCall(place: place, timed: timed, caller: caller, asked: asked, task: task)
  }
}

/// What is to be cancelled when a run is interrupted.
private final class CallsUnderWay: Sendable {
  private struct State {
    var isCancelled = false
    var cancellations: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  func add(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.cancellations.append(cancel) }
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// The last first, so that none that waits begins because one before it has left.
  func cancel() {
    let cancellations = state.withLock { state in
      defer { state = State(isCancelled: true) }
      return state.cancellations
    }
    for cancel in cancellations.reversed() { cancel() }
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
