import Histories
import Testing

/// The check itself: it must see what is wrong with a history, and nothing in one that is right.
@Suite(.watched) struct HistoryCheckTests {
  /// A read that led, a read that joined it, a write, a read of what was written.
  ///
  /// ```
  /// r0  asked ── began ───────── ended ── answered
  /// r1               asked ─ joined ────── answered
  /// w2                    asked ──────────────── began ── ended
  /// r3                          asked ─────────────────────────── began ── ended
  /// ```
  private func sound() -> History {
    var history = History()
    history.calls = [
      call(.read(.x, .number), asked: 1, boarded: 2, place: 1, ran: (3, 11, 0, 0), answered: 12, of: 0, version: 0),
      call(.read(.x, .number), asked: 4, boarded: 5, place: 1, ran: nil, answered: 13, of: 0, version: 0),
      call(.write([.x]), asked: 6, boarded: 7, place: 2, ran: (14, 15, 0, 3), answered: 16, of: 2, version: 3),
      call(.read(.x, .number), asked: 8, boarded: 10, place: 3, ran: (17, 18, 3, 3), answered: 19, of: 3, version: 3),
    ]
    history.calls[1].hasJoined = true
    history.now = 20
    return history
  }

  private func call(
    _ what: History.What, asked: Int, boarded: Int, place: UInt64, ran: (Int, Int, Int, Int)?, answered: Int, of: Int,
    version: Int
  ) -> History.Call {
    var call = History.Call(what: what, asked: asked)
    call.boarded = boarded
    call.place = place
    call.answered = answered
    call.answer = .returned(History.Value(call: of, version: version))
    if let ran {
      call.operation = History.Operation(began: ran.0, ended: ran.1, found: [ran.2], left: [ran.3])
      call.begun = ran.0
      call.reports = (1, 1, 0, 0)
    }
    return call
  }

  @Test func nothingIsWrongWithASoundHistory() {
    #expect(sound().check() == nil)
    #expect(sound().sights == [.merged, .apart])
    #expect(sound().cost == History.Cost(reads: 2, fewest: 2, most: 2))
  }

  private func expect(_ promise: String, _ spoil: (inout History) -> Void) {
    var history = sound()
    spoil(&history)
    #expect(history.check()?.promise == promise)
  }

  @Test func itSeesAJoinAcrossAWrite() {
    expect("no read joins across a write") { history in
      history.calls[3].hasJoined = true
      history.calls[3].place = 1
      history.calls[3].operation = nil
      history.calls[3].reports = (0, 0, 0, 0)
      history.calls[3].answer = .returned(History.Value(call: 0, version: 0))
    }
  }

  @Test func itSeesAMissedWrite() {
    expect("no read misses a write that was asked for before it") { history in
      history.calls[3].operation?.found = [0]
      history.calls[3].operation?.left = [0]
      history.calls[3].answer = .returned(History.Value(call: 3, version: 0))
    }
  }

  @Test func itSeesALaterWrite() {
    expect("no read sees a later write") { history in
      history.calls[0].operation?.left = [3]
      history.calls[0].answer = .returned(History.Value(call: 0, version: 3))
      history.calls[1].answer = .returned(History.Value(call: 0, version: 3))
    }
  }

  @Test func itSeesAReadBesideAWrite() {
    expect("nothing runs beside an earlier write") { $0.calls[3].operation?.began = 14 }
    expect("a write waits for all before it") { $0.calls[2].operation?.began = 8 }
  }

  @Test func itSeesReadsThatCouldHaveBeenOne() {
    expect("reads that can be one are one") { history in
      history.calls[1] = call(
        .read(.x, .number), asked: 4, boarded: 5, place: 2, ran: (6, 9, 0, 0), answered: 13, of: 1, version: 0)
      history.calls[2].place = 3
      history.calls[3].place = 4
    }
  }

  @Test func itSeesAnAnswerOfAnotherOperation() {
    expect("a call is answered by the operation that it waited for") { history in
      history.calls[1].answer = .returned(History.Value(call: 3, version: 3))
    }
  }

  /// As ``sound()``, but the write is of another key, and the last read joins the first.
  private func soundOfTwoKeys() -> History {
    var history = sound()
    history.calls[2] = call(
      .write([.y]), asked: 6, boarded: 7, place: 2, ran: (9, 15, 0, 3), answered: 16, of: 2, version: 3)
    history.calls[3].hasJoined = true
    history.calls[3].place = 1
    history.calls[3].operation = nil
    history.calls[3].begun = nil
    history.calls[3].reports = (0, 0, 0, 0)
    history.calls[3].answer = .returned(History.Value(call: 0, version: 0))
    return history
  }

  @Test func aWriteOfAnotherKeyPartsNothing() {
    #expect(soundOfTwoKeys().check() == nil)
    #expect(soundOfTwoKeys().sights == [.merged, .beside, .across])
  }

  @Test func itSeesReadsPartedByAWriteOfAnotherKey() {
    var history = soundOfTwoKeys()
    history.calls[3] = call(
      .read(.x, .number), asked: 8, boarded: 10, place: 3, ran: (17, 18, 0, 0), answered: 19, of: 3, version: 0)
    #expect(history.check()?.promise == "reads that can be one are one")
  }

  @Test func itSeesAWaitForAnotherKey() {
    var history = soundOfTwoKeys()
    history.calls[2].begun = 13
    history.calls[2].operation?.began = 13
    #expect(history.check() == nil)
    history.rests = [(moment: 12, isPaused: true)]
    #expect(history.check() == nil)
    history.rests = [(moment: 12, isPaused: false)]
    #expect(history.check()?.promise == "jobs of different keys never wait for each other")
  }

  @Test func itSeesAWriteInsideAnother() {
    expect("no other write comes into a write") { history in
      history.calls[2].operation?.left = [4]
      history.calls[2].answer = .returned(History.Value(call: 2, version: 4))
      history.calls[3].operation?.found = [4]
      history.calls[3].operation?.left = [4]
      history.calls[3].answer = .returned(History.Value(call: 3, version: 4))
    }
  }
}
