// MARK: - Checks: the sequential model

extension HistoryCheck {
  /// Places are handed out in the order of asking, also that of the flight that a call joins: none is behind a write of its
  /// key that the call came after.
  func checkPlaces() {
    let boarded = calls.indices.filter { calls[$0].boarded != nil }.sorted { calls[$0].boarded! < calls[$1].boarded! }
    var next = boarded[...]
    var last: UInt64 = 0
    var lastWrite = History.Key.allCases.map { _ in UInt64(0) }
    for index in calls.indices {
      while let earlier = next.first, calls[earlier].boarded! < calls[index].asked {
        let place = calls[earlier].place ?? 0
        if calls[earlier].leads { last = max(last, place) }
        // A call in a turn goes before reads that have none.
        if calls[earlier].isWrite, calls[earlier].operation != nil, !calls[earlier].isInside {
          for key in calls[earlier].keys { lastWrite[key.rawValue] = max(lastWrite[key.rawValue], place) }
        }
        next = next.dropFirst()
      }
      guard let place = calls[index].place else { continue }
      let limit = calls[index].hasJoined ? lastWrite[calls[index].keys[0].rawValue] : last
      let promise = calls[index].hasJoined ? "no read joins across a write" : "places rise with the asking"
      expect(place > limit, promise, "\(name(index)) at \(place) came after \(limit)")
    }
  }

  /// Writes run alone on their keys and in the order of places, and each read on its side of each write of its key.
  func checkTurns() {
    var allEnded = History.Key.allCases.map { _ in 0 }
    var writesEnded = allEnded
    for index in ran where !calls[index].isInside {
      guard let operation = calls[index].operation else { continue }
      guard let ended = operation.ended else {
        expect(false, "each operation that began has ended", name(index))
        continue
      }
      let isWrite = calls[index].isWrite
      for key in calls[index].keys.map(\.rawValue) {
        expect(operation.began > writesEnded[key], "nothing runs beside an earlier write", name(index))
        if isWrite { expect(operation.began > allEnded[key], "a write waits for all before it", name(index)) }
        allEnded[key] = max(allEnded[key], ended)
        if isWrite { writesEnded[key] = max(writesEnded[key], ended) }
      }
    }
    for inside in ran where calls[inside].isInside {
      for other in ran where other != inside && calls[other].conflicts(with: calls[inside]) {
        let isApart =
          calls[inside].operation!.began > calls[other].operation!.ended ?? .max
          || calls[other].operation!.began > calls[inside].operation!.ended ?? .max
        expect(isApart, "nothing runs beside a write of its key", "\(name(inside)), inside another, and \(name(other))")
      }
    }
  }

  /// Of each key, what is found is what the last write of it before left: never older, never newer.
  ///
  /// Jobs of a common key, of which one writes, do not overlap; that is checked before.
  func checkValues() {
    var last = History.Key.allCases.map { _ in 0 }
    for index in ran.sorted(by: { calls[$0].operation!.began < calls[$1].operation!.began }) {
      guard let operation = calls[index].operation, let left = operation.left else { continue }
      let keys = calls[index].keys.map(\.rawValue)
      let versions = keys.map { last[$0] }
      let detail = "\(name(index)) found \(operation.found) and left \(left), the last writes before are \(versions)"
      if calls[index].isWrite {
        expect(operation.found == versions, "each write finds what the write before it left", detail)
        for (key, version) in zip(keys, left) { last[key] = version }
        let isOwn = left.allSatisfy { $0 == index + 1 }
        expect(isOwn, "no other write comes into a write", detail)
      } else {
        expect(operation.found[0] >= versions[0], "no read misses a write that was asked for before it", detail)
        expect(operation.found == versions && left == versions, "no read sees a later write", detail)
      }
    }
  }

  /// When none can go on that has not, a call waits only behind a job of the same key, or for room among the reads.
  ///
  /// A call inside a turn waits only for what runs and for other such calls, also where the executor is paused.
  func checkWaits() {
    for rest in history.rests {
      let reading = calls.count { $0.isShared && $0.isRunning(at: rest.moment) }
      for (index, call) in calls.enumerated() where !call.hasJoined && isWaiting(index, at: rest.moment) {
        if rest.isPaused, !call.isInside { continue }
        let isBehind = calls.indices.contains { other in
          guard other != index, !calls[other].hasJoined, calls[other].conflicts(with: call) else { return false }
          if calls[other].isRunning(at: rest.moment) { return true }
          let isBefore = calls[other].isInside == call.isInside ? other < index : calls[other].isInside
          return isBefore && isWaiting(other, at: rest.moment)
        }
        let hasRoom = !call.isShared || reading < history.limit ?? .max
        expect(isBehind || !hasRoom, "jobs of different keys never wait for each other", name(index))
      }
    }
  }

  /// Whether it has a place, has not begun, and is wanted.
  private func isWaiting(_ index: Int, at moment: Moment) -> Bool {
    let call = calls[index]
    guard call.asked < moment, call.begun ?? .max > moment else { return false }
    return !(call.place.flatMap { callers[$0] } ?? [index]).allSatisfy {
      calls[$0].asked > moment || calls[$0].hasLeft(before: moment)
    }
  }

  func checkLimit() {
    guard let limit = history.limit else { return }
    var changes: [(moment: Moment, by: Int)] = []
    for call in calls where call.isShared {
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
      if !call.isShared {
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
    expect(
      isOver && operation.left?.allSatisfy { $0 == value.version } ?? false, "an answer is what the operation came to",
      detail)
  }

  private func checkReports(_ index: Int) {
    let call = calls[index]
    let (runs, isRejected) = (call.operation == nil ? 0 : 1, call.rejection == nil ? 0 : 1)
    expect(call.reports.begun == runs, "what runs is reported to begin, once", name(index))
    expect(call.reports.ended == runs, "what ran is reported to have ended, once", name(index))
    // A read that no caller waits for any more is a job without an end of its own, unless it never ran.
    let isCaller = call.isShared && call.place != nil
    let isLost = isCaller ? (call.leads && call.operation == nil ? 1 : 0) : isRejected
    expect(call.reports.left == (isCaller ? isRejected : 0), "a caller that leaves is reported, once", name(index))
    expect(call.reports.rejected == isLost, "a job that never runs is reported rejected, once", name(index))
  }
}
