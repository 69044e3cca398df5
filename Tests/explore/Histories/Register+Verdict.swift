extension Register.Way { var isWrite: Bool { self == .write || self == .submitWrite } }

extension Register.Call {
  var touched: [Int] { keys ?? [0, 1, 2] }
  /// A moment at which it certainly had its place.
  fileprivate var hadPlace: Int { min(placed, began) }
  fileprivate var isShared: Bool { [.read, .readText, .submitRead].contains(way) && !isInside }

  /// Whether the two are reads that may be one: of one key and one type.
  fileprivate func isLike(_ other: Register.Call) -> Bool {
    isShared && other.isShared && keys == other.keys && (way == .readText) == (other.way == .readText)
  }

  /// Whether one of the two must wait for the other.
  fileprivate func conflicts(with other: Register.Call) -> Bool {
    keys == nil || other.keys == nil
      || (way.isWrite || other.way.isWrite) && touched.contains(where: other.touched.contains)
  }
}

extension Register {
  /// What rounds must meet, or they have shown nothing: a read was answered by another's operation, also where a write of
  /// other keys had come between; equal reads were parted by a write; reads ran at the same time; so did a write and
  /// another job.
  package enum Sight: CaseIterable, Sendable { case merged, across, parted, together, beside }

  /// What was met, and the first promise that was broken, if any: when all calls are answered, and nothing runs.
  package var verdict: (broken: String?, sights: Set<Sight>) {
    var verdict = Verdict(self)
    verdict.judgeAnswers()
    verdict.judgeOrder()
    return (verdict.broken, verdict.sights)
  }
}

private struct Verdict {
  typealias Call = Register.Call

  let calls: [Call]
  let limit: Int?
  /// Those whose operation ran, in that order, and those whose operation answered a caller.
  let ran: [Call]
  let wanted: Set<Int>
  var broken: String?
  var sights = Set<Register.Sight>()

  init(_ register: Register) {
    (calls, limit) = (register.calls, register.limit)
    ran = calls.filter { $0.runs > 0 }.sorted { $0.began < $1.began }
    wanted = Set(calls.compactMap { $0.value?.call })
  }

  private mutating func expect(_ holds: Bool, _ promise: String, _ of: Call...) {
    if !holds, broken == nil { broken = ([promise] + of.map(\.description)).joined(separator: "\n") }
  }

  /// Whether between these moments callers may have been withdrawn, and operations cancelled.
  private func mayBeCleared(_ first: Int, _ last: Int) -> Bool {
    calls.contains { $0.way == .clear && $0.asked < last && $0.answered > first }
  }

  mutating func judgeAnswers() {
    for call in calls where call.asked > 0 && call.way != .pause && call.way != .clear {
      expect(call.runs < 2, "no job runs twice", call)
      expect(call.answers == 1, "each call is answered once", call)
      guard let value = call.value else {
        expect(call.runs == 0 || call.isShared, "who left got nothing: its job never ran", call)
        let isMeant =
          switch call.rejection {
          case .cancelled: call.mayBeCancelled
          case .withdrawn: mayBeCleared(call.asked, call.answered)
          default: call.isInside
          }
        expect(isMeant, "no call is rejected for what did not happen", call)
        continue
      }
      if call.way == .drain {
        let late = ran.first { $0.hadPlace < call.asked && $0.ended > call.answered }
        expect(late == nil, "when a drain returns, all that came before it has ended", call, late ?? call)
      } else {
        judge(call, answered: value)
      }
    }
  }

  private mutating func judge(_ call: Call, answered value: Register.Value) {
    let source = calls[value.call]
    expect(source === call || source.isLike(call), "a call is answered by its job, or by an equal read", call, source)
    let isOver = source.ended < call.answered && source.left == value.versions
    expect(isOver, "an answer is what an operation came to that has ended", call, source)
    // Where it has ended, others may still join it, until it answers.
    let hasAnswered = calls.contains { $0.value?.call == value.call && $0.answered < call.asked }
    expect(!hasAnswered, "no read joins one that has answered", call, source)
    if source !== call { sights.insert(.merged) }
    for write in ran where write.way.isWrite && write.hadPlace < call.asked && !call.isInside {
      let isBefore = !write.conflicts(with: call) || write.ended < source.began
      expect(isBefore, "no read is older than a write before it, and none joins across one", call, source, write)
      if source.hadPlace < write.asked, call.asked < write.ended { sights.insert(.across) }
    }
  }

  mutating func judgeOrder() {
    var versions = [0, 0, 0]
    for (index, later) in ran.enumerated() {
      for earlier in ran[..<index] { judge(earlier, before: later) }
      let reading = ran[...index].count { $0.isShared && $0.ended > later.began }
      expect(reading <= limit ?? .max, "no more reads run than the limit", later)
      let before = later.touched.map { versions[$0] }
      if later.way.isWrite { for key in later.touched { versions[key] += 1 } }
      let isRight = later.found == before && later.left == later.touched.map { versions[$0] }
      expect(isRight, "a job finds what the write before it left, and nothing comes between", later)
      guard later.isShared, !mayBeCleared(later.asked, max(later.ended, later.looked)) else { continue }
      // A submitted read is answered before its operation is cancelled.
      let mayBeWanted = calls.contains {
        $0.isLike(later) && $0.asked < later.ended
          && $0.answered > ($0.way == .submitRead ? later.asked : later.ended)
      }
      let isRightly = later.isCancelled ? !wanted.contains(later.number) : mayBeWanted
      expect(isRightly, "a read is cancelled when its last caller leaves, and only then", later)
    }
  }

  private mutating func judge(_ earlier: Call, before later: Call) {
    let isTogether = earlier.ended > later.began
    if isTogether { sights.insert(earlier.way.isWrite || later.way.isWrite ? .beside : .together) }
    if earlier.conflicts(with: later) {
      expect(!isTogether, "jobs of a key, of which one writes, run one after the other", earlier, later)
      let isInOrder = later.placed > earlier.asked || earlier.isInside
      expect(isInOrder, "jobs of a key, of which one writes, run in the order of their calls", earlier, later)
    }
    let (first, second) = earlier.hadPlace < later.asked ? (earlier, later) : (later, earlier)
    guard first.isLike(second), first.hadPlace < second.asked, second.hadPlace < first.ended else { return }
    // Also by a write that has left.
    let isParted = calls.contains {
      $0.way.isWrite && $0.conflicts(with: second) && $0.asked < second.hadPlace && $0.answered > first.asked
        && ($0.runs == 0 || $0.began > first.began && $0.began < second.began)
    }
    if isParted { sights.insert(.parted) }
    let mayJoin = wanted.contains(first.number) && !mayBeCleared(first.asked, second.hadPlace)
    expect(isParted || !mayJoin, "equal reads that meet are one", first, second)
  }
}

extension Register.Call {
  fileprivate var description: String {
    "\(number) \(way) \(touched): asked \(asked), placed \(placed), ran \(runs) times, \(began) to \(ended), "
      + "\(found) to \(left), answered \(answered) with \(value.map { "that of \($0.call)" } ?? "\(rejection as Any)")"
  }
}
