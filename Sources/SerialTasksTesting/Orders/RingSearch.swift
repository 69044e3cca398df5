/// One search for rings among the requests that were noted.
///
/// A ring is of requests that can be made at the same time, each of which waits for the next: because the next holds what it asks
/// for, because that has one of the slots and others have the rest, or because it stands behind the next in a line. So it would
/// never end.
///
/// Two requests cannot be made at the same time if they hold what no other can have meanwhile, unless they are of tasks beside
/// each other in one and the same turn. That is what others call gates.
///
/// Only rings without a shortcut are found, in which each request waits for the next one alone, or stands behind it without
/// another between them; a ring with a shortcut has a smaller one in it.
struct RingSearch {
  /// How one request waits for another.
  enum Meeting: Hashable, Sendable {
    /// For what the other holds, at this depth.
    case turn(Int)
    /// For one of so many slots, one of which the other holds.
    case slot(Int, of: Int)
    /// Behind the other.
    case line

    /// Whether nothing else is needed.
    fileprivate var isSolid: Bool {
      switch self {
      case .turn, .slot(_, of: 1): true
      case .slot, .line: false
      }
    }
  }

  struct Ring: Hashable, Sendable {
    /// Numbers of requests; the first is the one that was seen first.
    var requests: [Int]
    /// How each waits for the next.
    var meetings: [Meeting]
    /// What holds the other slots.
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
  /// Who may have what is asked for, and who asks for it, by where: each in the order of the requests.
  private var holders: [Place: [Int]] = [:]
  private var askers: [Place: [Int]] = [:]
  private var slotHolders: [Int: [Int]] = [:]
  /// The number of the knot of each, in which each leads to each; `nil` where no ring can be.
  private var knots: [Int?] = []
  /// Of each that is in a knot, where it leads in that.
  private var edges: [Int: [Edge]] = [:]
  private var stepsLeft: Int
  /// Whether some of those were left out that stand in a line.
  private var isPartial = false
  /// Whether there was a path that a longer ring may go on from.
  private var hasLonger = true
  private(set) var rings: [Ring] = []

  /// Whether it has given up before it had seen all.
  var hasGivenUp: Bool { stepsLeft <= 0 || isPartial }

  /// - Parameters:
  ///   - requests: What was asked for; those that hold nothing may stand at the end.
  ///   - siblings: Which of them were made beside each other in one turn.
  ///   - steps: How many edges to follow at most.
  init(_ requests: [Order.Request], siblings: Set<Order.Pair>, steps: Int = 200_000) {
    self.requests = requests
    self.siblings = siblings
    stepsLeft = steps
    findPlaces()
    findKnots()
    findEdges(atMost: 2 * steps)
  }

  /// Finds the rings, the shortest first, and of those that are as long, the one that was seen first.
  mutating func run() -> [Ring] {
    let starts = requests.indices.filter { knots[$0] != nil }
    // One length after the other, so that the short ones are found however many long ones there are.
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

  /// Returns how the request waits for the other, if it does.
  private func meeting(_ number: Int, _ other: Int) -> Meeting? {
    let (wanted, held) = (requests[number].wanted, requests[other].held)
    if number == other { return nil }
    if let depth = held.firstIndex(where: { wanted.waits(for: $0) }) { return .turn(depth) }
    if let slots = wanted.slots, let depth = held.firstIndex(where: { $0.owner == wanted.owner && $0.slots != nil }) {
      return .slot(depth, of: slots)
    }
    return mayStand(number, behind: other) ? .line : nil
  }

  /// Returns where a stake is found.
  private static func places(of stake: Order.Stake) -> [Place] {
    let all = Place(owner: stake.owner, key: nil)
    return [all] + (stake.keys ?? []).map { Place(owner: stake.owner, key: $0) }
      + (stake.keys == nil ? [Place(owner: stake.owner, key: -1)] : [])
  }

  /// Returns where those are found that may be in the way: of all keys under `nil`, and those that are of every key under -1.
  private static func places(askedBy stake: Order.Stake) -> [Place] {
    guard let keys = stake.keys else { return [Place(owner: stake.owner, key: nil)] }
    return (keys + [-1]).map { Place(owner: stake.owner, key: $0) }
  }

  private func mayStand(_ number: Int, behind other: Int) -> Bool {
    let (request, first) = (requests[number], requests[other])
    guard request.wanted.waits(behind: first.wanted) else { return false }
    // From inside a job, a call goes before one that waits for every key, and so for that job.
    return first.wanted.keys != nil || !request.held.contains { $0.owner == first.wanted.owner && $0.keys != [] }
  }

  /// Leaves out what leads to no ring: only what may lead back to itself does, and not through nothing but lines.
  ///
  /// It leads there by the places, so that a thousand requests of one line are not all compared.
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

  /// Finds what leads where in a knot; leaves out who stands in a line when that is too much.
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
  /// Returns whether these can be made at the same time.
  private func meet(_ one: Int, _ other: Int) -> Bool {
    if siblings.contains(Order.Pair(one, other)) { return true }
    let held = requests[other].held
    return !requests[one].held.contains { stake in held.contains { $0.excludes(stake) } }
  }

  /// Goes on from the last request of a path; all that follow have a higher number than its first.
  private mutating func follow(_ path: [Int], _ meetings: [Meeting], until length: Int) {
    let (start, last) = (path[0], path[path.count - 1])
    let closing = path.count > 1 ? meeting(last, start) : nil
    if let closing, path.count == length { close(Ring(requests: path, meetings: meetings + [closing])) }
    // Any that goes on from here has this one as its shortcut.
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

  /// Returns whether another than the last of the path leads there as well, or it leads back to another than the first.
  private func hasShortcut(_ path: [Int], _ meetings: [Meeting], to edge: Edge) -> Bool {
    if path.dropLast().contains(where: { meeting($0, edge.next)?.isSolid == true }) { return true }
    if path.dropFirst().contains(where: { meeting(edge.next, $0)?.isSolid == true }) { return true }
    return meetings.last == .line && edge.meeting == .line
      && isNeedless(path[path.count - 1], path[path.count - 2], edge.next)
  }

  /// Returns whether one that stands in a line between two others may be left out: they stand in one line themselves.
  private func isNeedless(_ number: Int, _ one: Int, _ other: Int) -> Bool {
    // A slot that it holds may have to be taken.
    meeting(one, other) == .line && requests[number].held.allSatisfy { $0.slots == nil }
  }

  private mutating func close(_ ring: Ring) {
    // In one line, no call stands in front of itself.
    if ring.meetings.allSatisfy({ $0 == .line }) { return }
    // The search leaves out who stands between two in one line, except for its first and its last.
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

  /// More that hold the other slots and wait for these, so that all are taken; `nil` if there are too few.
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

  /// Returns the stake that has a slot.
  private func slot(of number: Int, _ owner: Int) -> Order.Stake? {
    requests[number].held.first { $0.owner == owner && $0.slots != nil }
  }
}
