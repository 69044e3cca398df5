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
  }

  package var sights: Set<Sight> {
    var sights = Set<Sight>()
    let ran = ran
    if calls.contains(where: \.hasJoined) { sights.insert(.merged) }
    if calls.contains(where: { $0.boarded != nil && $0.rejection == .cancelled }) { sights.insert(.left) }
    for (position, later) in ran.enumerated() where !calls[later].isWrite {
      var isBehindWrite = false
      for earlier in ran[..<position].reversed() {
        if calls[earlier].isWrite { isBehindWrite = true }
        let isOver = calls[earlier].operation!.ended ?? 0 < calls[later].operation!.began
        if !calls[earlier].isWrite, !isOver { sights.insert(.together) }
        let isWaitedFor = calls[earlier].operation!.ended ?? 0 > calls[later].boarded ?? 0
        if isBehindWrite, calls[earlier].what == calls[later].what, isWaitedFor { sights.insert(.apart) }
      }
    }
    return sights
  }
}
