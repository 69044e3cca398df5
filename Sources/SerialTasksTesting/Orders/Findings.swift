import SerialTasks

struct Findings {
  private let order: Order
  private let labels: [String]
  private let keys: [String]
  private let requests: [Order.Request]
  private let jobs: [Order.Jobs]

  init(_ order: Order, labels: [String], keys: [String]) {
    (self.order, self.labels, self.keys) = (order, labels, keys)
    requests = order.requests + order.outside.map { Order.Request(held: [], wanted: $0.stake) }
    jobs = order.jobs + order.outside.map { Order.Jobs(wanted: $0.job) }
  }

  /// Returns the rings, the shortest first, each once; other deadlocks that did happen; and the limits that were reached.
  func all(and rejections: [DeadlockError]) -> [PotentialDeadlock] {
    var search = RingSearch(requests, siblings: order.siblings)
    var found: [PotentialDeadlock] = []
    var known: Set<Set<[Point]>> = []
    // To a reader, rings that only differ in what else was held are the same.
    for ring in search.run() where known.insert(steps(of: ring)).inserted { found.append(named(ring)) }
    let paths = Set(found.map { Set($0.path) })
    found += rejections.filter { !paths.contains(Set($0.path)) }.map { PotentialDeadlock($0) }
    if order.isFull || requests.contains(where: { !$0.held.isEmpty && order.outsideUnknown.contains($0.wanted.owner) })
    {
      found.append(PotentialDeadlock(stopped: "there were more requests than the recorder keeps (`recordingAtMost`)."))
    }
    if search.hasGivenUp {
      found.append(PotentialDeadlock(stopped: "the requests form too many paths to follow them all."))
    }
    return found
  }
}

extension Findings {
  private struct Point: Hashable {
    let owner: Int
    /// `nil` for all keys.
    let keys: [Int]?
    /// If the requests meet at slots, how many there are.
    let slots: Int?
  }

  private func point(_ ring: RingSearch.Ring, _ index: Int) -> Point {
    let wanted = requests[ring.requests[index]].wanted
    let next = requests[ring.requests[(index + 1) % ring.requests.count]]
    switch ring.meetings[index] {
    case .turn(let depth): return common(wanted, next.held[depth])
    case .line: return common(wanted, next.wanted)
    case .slot(_, let slots): return Point(owner: wanted.owner, keys: nil, slots: slots)
    }
  }

  private func common(_ one: Order.Stake, _ other: Order.Stake) -> Point {
    let keys: [Int]? =
      if let own = one.keys, let others = other.keys { own.filter { others.contains($0) } } else {
        one.keys ?? other.keys
      }
    return Point(owner: one.owner, keys: keys, slots: nil)
  }

  private func points(of ring: RingSearch.Ring) -> [Point] { ring.requests.indices.map { point(ring, $0) } }

  /// Returns the same for one ring, wherever it begins.
  private func steps(of ring: RingSearch.Ring) -> Set<[Point]> {
    let points = points(of: ring)
    return Set(zip(points, points.dropFirst() + points.prefix(1)).map { [$0, $1] })
  }
}

extension Findings {
  private func named(_ ring: RingSearch.Ring) -> PotentialDeadlock {
    let names = points(of: ring).map { point in
      point.slots.map { "slots of \(labels[point.owner]) (\($0))" } ?? name(point.owner, point.keys)
    }
    let before = ring.meetings.suffix(1) + ring.meetings.dropLast()
    return PotentialDeadlock(
      path: names.suffix(1) + names, requests: zip(ring.requests, before).map { named($0, held: $1) },
      others: ring.others.map { other in named(other, held: .slot(slotDepth(other, ring), of: 0)) })
  }

  private func named(_ number: Int, held: RingSearch.Meeting) -> PotentialDeadlock.Request {
    let (request, jobs) = (requests[number], jobs[number])
    let depth: Int? =
      switch held {
      case .turn(let depth), .slot(let depth, _): depth
      case .line: nil
      }
    return PotentialDeadlock.Request(
      held: depth.map { name(request.held[$0]) }, holder: depth.flatMap { jobs.holders[$0] },
      wanted: name(request.wanted),
      job: jobs.wanted)
  }

  private func slotDepth(_ number: Int, _ ring: RingSearch.Ring) -> Int {
    let owners = zip(ring.requests, ring.meetings).compactMap { number, meeting in
      if case .slot = meeting { requests[number].wanted.owner } else { nil }
    }
    return requests[number].held.firstIndex { owners.contains($0.owner) && $0.slots != nil } ?? 0
  }

  private func name(_ stake: Order.Stake) -> String { name(stake.owner, stake.keys) }

  private func name(_ owner: Int, _ keys: [Int]?) -> String {
    guard let keys, !keys.isEmpty else { return labels[owner] }
    return "\(labels[owner])[\(keys.map { self.keys[$0] }.joined(separator: ", "))]"
  }
}
