/// One search for rings among the recorded requests.
///
/// A ring is a cycle of requests that can be made at the same time. Each waits for the next, because the next holds
/// what it requests, holds one of the slots while others hold the rest, or stands ahead of it in a line.
///
/// Requests cannot be made at the same time if they hold something that only one of them can have (a *gate*), unless
/// they come from sibling tasks in the same turn.
///
/// A ring with a shortcut is left out, because it contains a smaller ring. A shortcut is a request that also waits
/// for another than the next, or that could be left out because its neighbors stand in one line.
struct RingSearch {
  enum Meeting: Hashable, Sendable {
    /// The other holds what it requests, at this depth.
    case turn(Int)
    /// The other holds one of this number of slots, at this depth.
    case slot(Int, of: Int)
    case line

    /// Whether it waits, whatever further requests do.
    fileprivate var isSolid: Bool {
      switch self {
      case .turn, .slot(_, of: 1): true
      case .slot, .line: false
      }
    }
  }

  struct Ring: Hashable, Sendable {
    /// Begins with the one that was seen first.
    var requests: [Int]
    var meetings: [Meeting]
    var others: [Int] = []
  }

  private struct Place: Hashable {
    let owner: Int
    let key: Int?
  }

  private struct Edge {
    let next: Int
    let meeting: Meeting
  }

  private let requests: [Order.Request]
  private let siblings: Set<Order.Pair>
  /// The requests that hold something, and those that request something, in order.
  private var holders: [Place: [Int]] = [:]
  private var askers: [Place: [Int]] = [:]
  private var slotHolders: [Int: [Int]] = [:]
  /// By request; in a knot, each leads to each; `nil` where there can be no ring.
  private var knots: [Int?] = []
  private var edges: [Int: [Edge]] = [:]
  private var stepsLeft: Int
  /// Whether requests that stand in a line were left out.
  private var isPartial = false
  /// Whether a path could become a longer ring.
  private var hasLonger = true
  private(set) var rings: [Ring] = []

  var hasGivenUp: Bool { stepsLeft <= 0 || isPartial }

  /// Follows at most `steps` edges; requests that hold nothing may stand at the end.
  init(_ requests: [Order.Request], siblings: Set<Order.Pair>, steps: Int = 200_000) {
    self.requests = requests
    self.siblings = siblings
    stepsLeft = steps
    findPlaces()
    findKnots()
    findEdges(atMost: 2 * steps)
  }

  /// Returns the shortest first; of equal length, the first one seen.
  mutating func run() -> [Ring] {
    let starts = requests.indices.filter { knots[$0] != nil }
    // By length: short rings are found however many long ones there are.
    var length = 2
    while length <= starts.count, hasLonger, stepsLeft > 0 {
      hasLonger = false
      for start in starts { follow([start], [], until: length) }
      length += 1
    }
    return rings
  }
}

// MARK: - Edges

extension RingSearch {
  private mutating func findPlaces() {
    for (number, request) in requests.enumerated() {
      for place in Set(request.held.flatMap { Self.places(of: $0) }) { holders[place, default: []].append(number) }
      for owner in Set(request.held.filter { $0.slots != nil }.map(\.owner)) {
        slotHolders[owner, default: []].append(number)
      }
      for place in Self.places(of: request.wanted) { askers[place, default: []].append(number) }
    }
  }

  private func meeting(_ number: Int, _ other: Int) -> Meeting? {
    let (wanted, held) = (requests[number].wanted, requests[other].held)
    if number == other { return nil }
    if let depth = held.firstIndex(where: { wanted.waits(for: $0) }) { return .turn(depth) }
    if let slots = wanted.slots, let depth = held.firstIndex(where: { $0.owner == wanted.owner && $0.slots != nil }) {
      return .slot(depth, of: slots)
    }
    return mayStand(number, behind: other) ? .line : nil
  }

  private static func places(of stake: Order.Stake) -> [Place] {
    let all = Place(owner: stake.owner, key: nil)
    return [all] + (stake.keys ?? []).map { Place(owner: stake.owner, key: $0) }
      + (stake.keys == nil ? [Place(owner: stake.owner, key: -1)] : [])
  }

  /// Returns where stakes are that may block this one; those with every key are also under -1.
  private static func places(askedBy stake: Order.Stake) -> [Place] {
    guard let keys = stake.keys else { return [Place(owner: stake.owner, key: nil)] }
    return (keys + [-1]).map { Place(owner: stake.owner, key: $0) }
  }

  private func mayStand(_ number: Int, behind other: Int) -> Bool {
    let (request, first) = (requests[number], requests[other])
    guard request.wanted.waits(behind: first.wanted) else { return false }
    // Inside a job, a call goes ahead of a job that waits for every key, as that job waits for the caller's.
    return first.wanted.keys != nil || !request.held.contains { $0.owner == first.wanted.owner && $0.keys != [] }
  }

  /// Leaves out requests that cannot lead back to themselves, or only through lines.
  ///
  /// Places connect them: a thousand requests of one line are not all compared.
  private mutating func findKnots() {
    var (next, points): ([[Int]], [Place: (held: Int, asked: Int)]) = (Array(repeating: [], count: requests.count), [:])
    var slots: [Int: Int] = [:]
    func point(to ends: [Int]) -> Int {
      next.append(ends)
      return next.count - 1
    }
    for (number, request) in requests.enumerated() {
      let wanted = request.wanted
      for place in Self.places(askedBy: wanted) {
        let ends = points[place] ?? (point(to: holders[place] ?? []), point(to: askers[place] ?? []))
        points[place] = ends
        next[number] += [ends.held, ends.asked]
      }
      if wanted.slots != nil {
        let end = slots[wanted.owner] ?? point(to: slotHolders[wanted.owner] ?? [])
        slots[wanted.owner] = end
        next[number].append(end)
      }
    }
    let numbers = Knots(next).numbers
    let isRing = Set((points.values.map(\.held) + slots.values).map { numbers[$0] })
    knots = requests.indices.map { isRing.contains(numbers[$0]) ? numbers[$0] : nil }
  }

  /// Leaves out requests that stand in a line if a knot has too many edges.
  private mutating func findEdges(atMost limit: Int) {
    var count = 0
    for number in requests.indices where knots[number] != nil {
      let wanted = requests[number].wanted
      var others = wanted.slots == nil ? [] : Set(slotHolders[wanted.owner] ?? [])
      for place in Self.places(askedBy: wanted) {
        others.formUnion(holders[place] ?? [])
        let line = askers[place] ?? []
        count += line.count
        if count <= limit { others.formUnion(line) } else { isPartial = true }
      }
      edges[number] = others.sorted().compactMap { other in
        if knots[other] != knots[number] { return nil }
        return meeting(number, other).map { Edge(next: other, meeting: $0) }
      }
    }
  }
}

// MARK: - Rings

extension RingSearch {
  private func meet(_ one: Int, _ other: Int) -> Bool {
    if siblings.contains(Order.Pair(one, other)) { return true }
    let held = requests[other].held
    return !requests[one].held.contains { stake in held.contains { $0.excludes(stake) } }
  }

  /// Continues only with requests that have a higher number than the path's first.
  private mutating func follow(_ path: [Int], _ meetings: [Meeting], until length: Int) {
    let (start, last) = (path[0], path[path.count - 1])
    let closing = path.count > 1 ? meeting(last, start) : nil
    if let closing, path.count == length { close(Ring(requests: path, meetings: meetings + [closing])) }
    // This ring would be a shortcut of every longer one.
    if closing?.isSolid == true { return }
    if path.count == length {
      hasLonger = true
      return
    }
    for edge in edges[last] ?? [] where edge.next > start && !path.contains(edge.next) {
      stepsLeft -= 1
      if stepsLeft <= 0 { return }
      guard path.allSatisfy({ meet($0, edge.next) }), !hasShortcut(path, meetings, to: edge) else { continue }
      follow(path + [edge.next], meetings + [edge.meeting], until: length)
    }
  }

  /// Returns whether another request also waits for the edge's end, or the end for one other than the first.
  private func hasShortcut(_ path: [Int], _ meetings: [Meeting], to edge: Edge) -> Bool {
    if path.dropLast().contains(where: { meeting($0, edge.next)?.isSolid == true }) { return true }
    if path.dropFirst().contains(where: { meeting(edge.next, $0)?.isSolid == true }) { return true }
    return meetings.last == .line && edge.meeting == .line
      && isNeedless(path[path.count - 1], path[path.count - 2], edge.next)
  }

  /// Returns whether the request can be left out: its neighbors stand in one line themselves.
  private func isNeedless(_ number: Int, _ one: Int, _ other: Int) -> Bool {
    // A slot that it holds may be needed.
    meeting(one, other) == .line && requests[number].held.allSatisfy { $0.slots == nil }
  }

  private mutating func close(_ ring: Ring) {
    // In a single line, no call stands ahead of itself.
    if ring.meetings.allSatisfy({ $0 == .line }) { return }
    // The search leaves out such requests, except at the path's ends.
    let (last, count) = (ring.requests.count - 1, ring.requests.count)
    for index in [0, last] where count > 2 {
      let (before, after) = ((index + last) % count, (index + 1) % count)
      if ring.meetings[before] == .line, ring.meetings[index] == .line,
        isNeedless(ring.requests[index], ring.requests[before], ring.requests[after])
      {
        return
      }
    }
    var ring = ring
    for (number, meeting) in zip(ring.requests, ring.meetings) {
      guard case .slot(_, let slots) = meeting, slots > 1 else { continue }
      let owner = requests[number].wanted.owner
      guard let others = holders(of: slots, owner: owner, in: ring.requests + ring.others) else { return }
      ring.others += others
    }
    rings.append(ring)
  }

  /// Returns further requests that hold the remaining slots and wait for these; `nil` if too few do.
  private func holders(of slots: Int, owner: Int, in members: [Int]) -> [Int]? {
    let candidates = slotHolders[owner] ?? []
    // Child tasks of one job share its slot.
    let taken = Set(members.filter { candidates.contains($0) }.compactMap { slot(of: $0, owner) })
    if taken.count >= slots { return [] }
    for candidate in candidates where !members.contains(candidate) && members.allSatisfy({ meet($0, candidate) }) {
      guard members.contains(where: { meeting(candidate, $0)?.isSolid == true }) else { continue }
      if slot(of: candidate, owner).map({ taken.contains($0) }) == true { continue }
      if let rest = holders(of: slots, owner: owner, in: members + [candidate]) { return [candidate] + rest }
    }
    return nil
  }

  private func slot(of number: Int, _ owner: Int) -> Order.Stake? {
    requests[number].held.first { $0.owner == owner && $0.slots != nil }
  }
}
