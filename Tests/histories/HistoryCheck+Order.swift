// MARK: - Checks: the sequential model

extension HistoryCheck {
  /// Places are handed out in the order of asking, also that of the flight that a call joins: none is behind a write that
  /// the call came after.
  func checkPlaces() {
    let boarded = calls.indices.filter { calls[$0].boarded != nil }.sorted { calls[$0].boarded! < calls[$1].boarded! }
    var next = boarded[...]
    var (last, lastWrite): (UInt64, UInt64) = (0, 0)
    for index in calls.indices {
      while let earlier = next.first, calls[earlier].boarded! < calls[index].asked {
        let place = calls[earlier].place ?? 0
        if calls[earlier].leads { last = max(last, place) }
        if calls[earlier].isWrite, calls[earlier].operation != nil { lastWrite = max(lastWrite, place) }
        next = next.dropFirst()
      }
      guard let place = calls[index].place else { continue }
      let isBehind = calls[index].hasJoined ? place > lastWrite : place > last
      let promise = calls[index].hasJoined ? "no read joins across a write" : "places rise with the asking"
      expect(isBehind, promise, "\(name(index)) at \(place) came after \(calls[index].hasJoined ? lastWrite : last)")
    }
  }

  /// Writes run alone and in the order of places, and each read on its side of each write.
  func checkTurns() {
    var (allEnded, writesEnded) = (0, 0)
    for index in ran {
      guard let operation = calls[index].operation else { continue }
      let isAlone = calls[index].isWrite || history.limit == 1
      guard let ended = operation.ended else {
        expect(false, "each operation that began has ended", name(index))
        continue
      }
      expect(operation.began > writesEnded, "nothing runs beside an earlier write", name(index))
      if isAlone {
        expect(
          operation.began > allEnded,
          calls[index].isWrite ? "a write waits for all before it" : "with a limit of 1 one read runs at a time",
          name(index))
      }
      allEnded = max(allEnded, ended)
      if calls[index].isWrite { writesEnded = max(writesEnded, ended) }
    }
  }

  /// What is found is what the last write before it left: never older, never newer.
  func checkValues() {
    var versions = History.Key.allCases.map { _ in 0 }
    for index in ran {
      guard let operation = calls[index].operation, let left = operation.left else { continue }
      let key = calls[index].key.rawValue
      let detail = "\(name(index)) found \(operation.found) and left \(left), the last write before is \(versions[key])"
      if calls[index].isWrite {
        expect(operation.found == versions[key], "each write finds what the write before it left", detail)
        versions[key] = left
      } else {
        expect(operation.found >= versions[key], "no read misses a write that was asked for before it", detail)
        expect(operation.found == versions[key] && left == versions[key], "no read sees a later write", detail)
      }
    }
  }

  func checkLimit() {
    guard let limit = history.limit else { return }
    var changes: [(moment: Moment, by: Int)] = []
    for call in calls where !call.isWrite {
      guard let operation = call.operation, let ended = operation.ended else { continue }
      changes += [(operation.began, 1), (ended, -1)]
    }
    var running = 0
    for change in changes.sorted(by: { $0.moment < $1.moment }) {
      running += change.by
      expect(running <= limit, "no more reads run than the limit", "\(running) do")
    }
  }
}

// MARK: - Checks: answers

extension HistoryCheck {
  func checkAnswers() {
    for index in calls.indices {
      let call = calls[index]
      expect(call.answer != nil, "each call is answered", name(index))
      if let value = call.value { checkValue(value, of: index) }
      checkReports(index)
      if call.isWrite {
        expect((call.rejection == nil) == (call.operation != nil), "a rejected job never ran", name(index))
      }
    }
  }

  /// A call is given what the operation that it waited for came to.
  private func checkValue(_ value: History.Value, of index: Int) {
    let detail = "\(name(index)) was given what \(name(value.call)) came to"
    let leader = calls[index].place.flatMap { callers[$0] }?.first { calls[$0].leads }
    expect(leader == value.call, "a call is answered by the operation that it waited for", detail)
    guard let operation = calls[value.call].operation else {
      return expect(false, "an answer comes from an operation", detail)
    }
    expect(calls[value.call].what == calls[index].what, "a read is answered for its own key and kind", detail)
    let isOver = operation.ended.map { $0 < calls[index].answered ?? 0 } ?? false
    expect(isOver && operation.left == value.version, "an answer is what the operation came to", detail)
  }

  private func checkReports(_ index: Int) {
    let call = calls[index]
    let (runs, isRejected) = (call.operation == nil ? 0 : 1, call.rejection == nil ? 0 : 1)
    expect(call.reports.begun == runs, "what runs is reported to begin, once", name(index))
    expect(call.reports.ended == runs, "what ran is reported to have ended, once", name(index))
    // A read that no caller waits for any more is a job without an end of its own, unless it never ran.
    let isCaller = !call.isWrite && call.place != nil
    let isLost = isCaller ? (call.leads && call.operation == nil ? 1 : 0) : isRejected
    expect(call.reports.left == (isCaller ? isRejected : 0), "a caller that leaves is reported, once", name(index))
    expect(call.reports.rejected == isLost, "a job that never runs is reported rejected, once", name(index))
  }
}
