// MARK: - Checks: what merges, and what must

extension HistoryCheck {
  /// Reads merge only where they may: equal key and kind, and no write of the key between.
  func checkJoins() {
    for index in calls.indices where calls[index].hasJoined {
      let call = calls[index]
      guard let place = call.place, let boarded = call.boarded, let others = callers[place],
        let leader = others.first(where: { calls[$0].leads })
      else {
        expect(false, "who joins, joins a flight", name(index))
        continue
      }
      let detail = "\(name(index)) joined \(name(leader))"
      expect(calls[leader].what == call.what, "only reads of one key and one kind are one", detail)
      let hasLanded = others.contains { calls[$0].value != nil && calls[$0].answered! < call.asked }
      expect(!hasLanded, "no caller joins a read that has ended", detail)
      let isWanted = others.contains {
        $0 != index && calls[$0].asked < boarded && !calls[$0].hasLeft(before: call.asked)
      }
      expect(isWanted, "no caller joins a read that all callers have left", detail)
      let write = calls.indices.first { calls[$0].isWrite && certainlyStood($0, behind: place, for: call) }
      expect(write == nil, "no read joins across a write", "\(detail), across \(name(write ?? 0))")
    }
  }

  /// Whether the write was in the line, behind the place, from before the call was asked until it had boarded.
  private func certainlyStood(_ write: Int, behind place: UInt64, for call: Call) -> Bool {
    let write = calls[write]
    // A call in a turn goes before reads that have none.
    guard write.conflicts(with: call), !write.isInside else { return false }
    guard let boarded = write.boarded, let own = write.place, own > place, boarded < call.asked else { return false }
    if write.operation != nil { return true }
    let end = call.boarded ?? 0
    return (write.cancelled ?? .max) > end && !history.mayHaveCleared(since: write.asked, before: end)
  }

  /// What the reads cost, and what they may cost.
  ///
  /// At least one operation for each key and kind between two writes of the key, if anybody was answered. At most one for each run of
  /// equal reads of which each came while the operation before it was certainly there to be joined.
  var cost: History.Cost {
    var cost = History.Cost()
    var needed = Set<Need>()
    for index in calls.indices where calls[index].isShared {
      if calls[index].operation != nil { cost.reads += 1 }
      if calls[index].value != nil { needed.insert(Need(what: calls[index].what, writes: writesBefore(index))) }
      if calls[index].leads, calls[index].operation != nil, missed(by: index) == nil { cost.most += 1 }
    }
    cost.fewest = needed.count
    return cost
  }

  private struct Need: Hashable {
    let what: History.What
    let writes: Int
  }

  private func writesBefore(_ index: Int) -> Int {
    calls.indices.count { write in
      let call = calls[write]
      if !call.isWrite || call.isInside || call.operation == nil || !call.conflicts(with: calls[index]) { return false }
      return history.isExact ? write < index : calls[write].place! < calls[index].place!
    }
  }

  func checkCost() {
    for index in calls.indices where calls[index].isShared && !calls[index].hasJoined {
      if let missed = missed(by: index) {
        expect(false, "reads that can be one are one", "\(name(index)) could have joined \(name(missed))")
      }
    }
    let cost = cost
    expect(cost.reads >= cost.fewest, "each run of equal reads costs a read", "\(cost)")
    expect(cost.reads <= cost.most, "a run of equal reads costs no more than one read", "\(cost)")
  }

  /// The flight that the read certainly could have joined, and did not.
  private func missed(by index: Int) -> Int? {
    let call = calls[index]
    guard call.isShared, let boarded = call.boarded ?? fullAt(call) else { return nil }
    return calls.indices.first { other in
      let flight = calls[other]
      guard other != index, flight.leads, !flight.isInside, flight.what == call.what, let began = flight.boarded,
        began < call.asked,
        flight.operation?.ended ?? .max > boarded
      else { return false }
      let isWanted = callers[flight.place!]!.contains {
        calls[$0].boarded ?? .max < call.asked && calls[$0].cancelled ?? .max > boarded
      }
      let isCleared = history.mayHaveCleared(since: flight.asked, before: boarded)
      return isWanted && !isCleared && !mayPart(flight, call, boarded)
    }
  }

  /// A call that joins needs no room.
  private func fullAt(_ call: Call) -> Moment? { if case .full = call.rejection { call.answered } else { nil } }

  /// Whether a write of the key may have stood between the flight and the call when that boarded.
  private func mayPart(_ flight: Call, _ call: Call, _ boarded: Moment) -> Bool {
    calls.contains { write in
      guard write.isWrite, write.conflicts(with: call), let place = write.place, place > flight.place!,
        write.asked < boarded
      else { return false }
      if let own = call.place, place > own { return false }
      return !write.hasLeft(before: call.asked)
    }
  }
}
