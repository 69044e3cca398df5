import Testing

@testable import notes

/// What a way promises, held against runs that were made by hand.
@Suite(.watched) struct BreachTests {
  private let note = Note(id: 1, text: "a")

  /// A read of note 1 that joined another.
  private func joined(_ place: Int, _ leader: Int, _ call: Call = .read(1), finished: Int, operations: Int = 0)
    -> PlayedCall
  {
    var played = Played.call(place, call, started: finished, finished: finished, .success(.note(note)))
    played.joined = leader
    played.operations = operations
    return played
  }

  private func read(_ place: Int, started: Int, finished: Int) -> PlayedCall {
    Played.call(place, .read(1), started: started, finished: finished, .success(.note(note)))
  }

  private func breaches(_ way: Way, _ calls: [PlayedCall]) -> [Breach] { Breach.all(in: Run(way: way, calls: calls)) }

  //   read 1   |-----|
  //   read 2   |---|
  //   update         |---|
  //   read 1               |---|
  private var together: [PlayedCall] {
    [
      read(1, started: 0, finished: 30), Played.call(2, .read(2), started: 0, finished: 20),
      joined(3, 1, finished: 30), Played.call(4, .update(1, text: "b"), started: 30, finished: 50),
      read(5, started: 50, finished: 60),
    ]
  }

  @Test func readsTogetherAreWhatOneWayPromisesAndAnotherForbids() {
    #expect(breaches(.coalescing, together) == [])
    #expect(breaches(.actor, together) == [])
    #expect(breaches(.serial, together) == [.overlap(2, with: 1), .wrongJoin(3, of: 1)])
  }

  // Fails if: only neighbours are compared, or a write is compared with writes only.
  @Test func aWriteRunsAlone() {
    let early = Played.call(4, .update(1, text: "b"), started: 25, finished: 50)
    #expect(breaches(.coalescing, together[..<3] + [early]) == [.overlap(4, with: 1)])
    let late = read(5, started: 49, finished: 60)
    #expect(breaches(.coalescing, together[..<4] + [late]) == [.overlap(5, with: 4)])
  }

  // Fails if: a join across a write is let through, though no call saw an old value.
  @Test func aJoinIsOfAnEqualReadWithNoWriteBetween() {
    #expect(breaches(.coalescing, together + [joined(6, 5, finished: 60)]) == [])
    #expect(breaches(.coalescing, together + [joined(6, 1, finished: 60)]) == [.wrongJoin(6, of: 1)])
    #expect(breaches(.coalescing, together + [joined(6, 5, .read(2), finished: 60)]) == [.wrongJoin(6, of: 5)])
    #expect(breaches(.coalescing, together[..<3] + [joined(4, 3, finished: 30)]) == [.wrongJoin(4, of: 3)])
  }

  //   update 1   |-----|
  //   read 2     |-|
  //   update 2     |-|
  //   read 2           |-|
  private var byKey: [PlayedCall] {
    [
      Played.call(1, .update(1, text: "b"), started: 0, finished: 30),
      Played.call(2, .read(2), started: 0, finished: 10),
      Played.call(3, .update(2, text: "b"), started: 10, finished: 20),
      Played.call(4, .read(2), started: 20, finished: 30),
    ]
  }

  // Fails if: a call is compared with one that it has nothing to do with, or not with one of its own note or of the list.
  @Test func callsWaitForThoseThatTouchTheSame() {
    #expect(breaches(.apart, byKey) == [])
    #expect(breaches(.touching, byKey) == [.overlap(3, with: 1)])
    #expect(breaches(.coalescing, byKey) == [.overlap(2, with: 1), .overlap(3, with: 1), .overlap(4, with: 1)])
    let list = Played.call(5, .readAll, started: 29, finished: 50)
    #expect(breaches(.apart, byKey + [list]) == [.overlap(5, with: 4)])
    #expect(
      breaches(.touching, byKey[..<2] + [Played.call(3, .readAll, started: 5, finished: 9)]) == [.overlap(3, with: 1)])
    let alone = Played.call(5, .readAll, started: 30, finished: 50)
    let early = Played.call(6, .add(3, text: "c"), started: 49, finished: 60)
    #expect(breaches(.apart, byKey + [alone, early]) == [.overlap(6, with: 5)])
    #expect(
      breaches(.apart, byKey[..<3] + [Played.call(4, .read(2), started: 15, finished: 30)]) == [.overlap(4, with: 3)])
  }

  // Fails if: nothing is to wait for, and a wait is let through all the same; or a wait for a call of the same note is not.
  @Test func aWaitForNothingIsFound() {
    var waiting = byKey
    for index in waiting.indices { waiting[index].hadToWait = true }
    #expect(breaches(.apart, waiting) == [.needlessWait(1), .needlessWait(2)])
    let run = Run(way: .apart, calls: waiting)
    #expect(Breach.needlessWait(2).words(in: run) == "call 2 (read 2) had to wait, and there was nothing to wait for")
  }

  // Fails if: a write of another note is taken for one of this, or the other way round.
  @Test func aJoinIsAcrossWritesOfOtherNotesOnly() {
    let notes = [read(1, started: 0, finished: 30), Played.call(2, .update(2, text: "b"), started: 0, finished: 9)]
    #expect(breaches(.apart, notes + [joined(3, 1, finished: 30)]) == [])
    #expect(breaches(.touching, notes + [joined(3, 1, finished: 30)]) == [])
    let own = [notes[0], Played.call(2, .update(1, text: "b"), started: 30, finished: 39)]
    #expect(breaches(.touching, own + [joined(3, 1, finished: 30)]) == [.wrongJoin(3, of: 1)])
    let lists = [Played.call(1, .readAll, started: 0, finished: 30), joined(2, 1, .readAll, finished: 30)]
    #expect(breaches(.touching, lists) == [])
    #expect(breaches(.apart, lists) == [.wrongJoin(2, of: 1)])
    let across = [lists[0], Played.call(2, .update(2, text: "b"), started: 30, finished: 39)]
    #expect(breaches(.touching, across + [joined(3, 1, .readAll, finished: 30)]) == [.wrongJoin(3, of: 1)])
  }

  @Test func theRepositoryIsAskedOnceForACallAndNotForOneThatJoined() {
    #expect(
      breaches(.coalescing, together[..<1] + [joined(2, 1, finished: 30, operations: 1)])
        == [.operations(2, found: 1, needed: 0)])
    var twice = together[0]
    twice.operations = 2
    #expect(breaches(.coalescing, [twice]) == [.operations(1, found: 2, needed: 1)])
    var rejected = Played.call(1, .read(1), started: 0, finished: 0, .failure(.unavailable(.closed)))
    #expect(breaches(.serial, [rejected]) == [.operations(1, found: 1, needed: 0)])
    rejected.operations = 0
    #expect(breaches(.serial, [rejected]) == [])
  }

  // Fails if: what was promised and not kept does not decide when store and answers are right by luck.
  @Test func aBreachIsWrongAndIsTold() {
    let run = Run(way: .serial, calls: Array(together[..<2]))
    let verdict = Verdict(
      initial: [note, Note(id: 2, text: "b")], run: Run(way: .serial, calls: [run.calls[0], run.calls[0]]), found: [])
    #expect(verdict.breaches == [.overlap(1, with: 1)])
    let told = Breach.overlap(2, with: 1).words(in: run)
    #expect(told == "call 2 (read 2) began before call 1 (read 1) had ended")
    let played = Performance.Played(run: run, verdict: verdict, found: 0)
    #expect(played.mood == .wrong)
    #expect(played.summary.hasSuffix(", 1 call OUT OF PLACE."))
    #expect(played.explanation.sentence.contains("began before"))
  }

  @Test func theTallyCountsWhatWasAskedSavedAndWaitedFor() {
    var waiting = together
    waiting[3].hadToWait = true
    let tally = Tally(Run(way: .coalescing, calls: waiting))
    #expect(
      tally.words == """
        5 calls, 4 reads and 1 write; 3 backend reads, 1 saved; 1 wait for a turn, the longest 0.030 s; 0 failed
        """)
  }

  // Fails if: a joined read is drawn as one that runs, or there is no room for the word on it.
  @Test(arguments: [80, 120]) func whoJoinedIsMarked(width: Int) {
    let run = Run(way: .coalescing, calls: together)
    let timeline = Played.timeline(run)
    let chart = TerminalChart(width: width, paint: Paint(isColoured: false))
    let lines = chart.lines(timeline)
    #expect(lines[2].contains("▒"))
    #expect(!lines[2].contains("█"))
    #expect(timeline.rows[2].details.contains("joined call 1"))
    #expect(chart.legend(timeline).joined().contains("▒ joined an equal read"))
    #expect((lines + chart.legend(timeline)).allSatisfy { $0.count <= width })
    #expect(!Overview(Timeline(rows: [timeline.rows[2]]), stretches: 4).stretches.contains { $0.hasWrite })
  }
}
