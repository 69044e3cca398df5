// MARK: - What was met

extension History {
  /// How many operations the reads may cost.
  package struct Cost: Hashable, Sendable {
    package var reads = 0
    package var fewest = 0
    package var most = 0

    package init(reads: Int = 0, fewest: Int = 0, most: Int = 0) {
      (self.reads, self.fewest, self.most) = (reads, fewest, most)
    }
  }

  package var cost: Cost { HistoryCheck(self).cost }

  /// What a campaign must meet, or it has shown nothing.
  package enum Sight: String, CaseIterable, Sendable {
    /// A read joined another.
    case merged
    /// An equal read came while another was waited for, and was kept apart by a write.
    case apart
    /// Two reads ran at the same time.
    case together
    /// A write or a read was left before it began.
    case left
    /// A write ran while another job of other keys did.
    case beside
    /// A read joined another across a write of other keys, which waited or ran.
    case across
    /// Two writes of common keys ran, of which neither touched all keys of the other.
    case overlapping
    /// A read inside a turn went before a write of its key that had come before it.
    case ahead
  }

  package var sights: Set<Sight> {
    var sights = Set<Sight>()
    let ran = ran
    sights.formUnion(sightsOfKeys)
    if calls.contains(where: \.hasJoined) { sights.insert(.merged) }
    if calls.contains(where: { $0.boarded != nil && $0.rejection == .cancelled }) { sights.insert(.left) }
    for (position, later) in ran.enumerated() where calls[later].isShared {
      var isBehindWrite = false
      for earlier in ran[..<position].reversed() {
        if calls[earlier].isWrite {
          if calls[earlier].conflicts(with: calls[later]) { isBehindWrite = true }
          continue
        }
        let isOver = calls[earlier].operation!.ended ?? 0 < calls[later].operation!.began
        if !isOver { sights.insert(.together) }
        if calls[earlier].isInside { continue }
        let isWaitedFor = calls[earlier].operation!.ended ?? 0 > calls[later].boarded ?? 0
        if isBehindWrite, calls[earlier].what == calls[later].what, isWaitedFor { sights.insert(.apart) }
      }
    }
    return sights
  }

  private var sightsOfKeys: Set<Sight> {
    var sights = Set<Sight>()
    for (position, later) in ran.enumerated() {
      for earlier in ran[..<position] where calls[earlier].isWrite || calls[later].isWrite {
        let isOver = calls[earlier].operation!.ended ?? 0 < calls[later].operation!.began
        if !isOver { sights.insert(.beside) }
        let (one, other) = (Set(calls[earlier].keys), Set(calls[later].keys))
        if !one.isDisjoint(with: other), !one.isSubset(of: other), !other.isSubset(of: one) {
          sights.insert(.overlapping)
        }
      }
    }
    for call in calls where call.hasJoined {
      let isAcross = calls.contains { write in
        write.isWrite && write.place ?? 0 > call.place ?? .max && write.boarded ?? .max < call.asked
          && write.operation?.ended ?? 0 > call.boarded ?? .max
      }
      if isAcross { sights.insert(.across) }
    }
    for read in calls where read.isInside && !read.isWrite && read.begun != nil {
      let isAhead = calls.contains { write in
        write.isWrite && write.conflicts(with: read) && write.place ?? .max < read.place!
          && write.begun ?? .max > read.begun! && !write.hasLeft(before: read.begun!)
      }
      if isAhead { sights.insert(.ahead) }
    }
    return sights
  }
}
