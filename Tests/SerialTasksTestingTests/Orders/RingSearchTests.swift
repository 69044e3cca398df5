import TestWatch
import Testing

@testable import SerialTasksTesting

/// Which requests form rings, without tasks.
@Suite(.watched) struct RingSearchTests {
  /// Fails if: two requests for each other's line are not a ring, or the ring is found twice, or does not begin with the first.
  @Test func twoInOppositeOrder() {
    let rings = rings([[.line(1)]: .line(0), [.line(0)]: .line(1)])
    #expect(rings == [RingSearch.Ring(requests: [0, 1], meetings: [.turn(0), .turn(0)])])
  }

  /// Fails if: a ring is found although all requests have one order.
  @Test func oneOrderIsNoRing() {
    #expect(rings([[.line(0)]: .line(1), [.line(1), .line(0)]: .line(2), [.line(0), .line(5)]: .line(2)]).isEmpty)
  }

  /// Fails if: only rings of two are found, or a ring of three with a shortcut is found too.
  @Test func threeInARing() {
    let three: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(0)]: .line(1), [.line(1)]: .line(2), [.line(2)]: .line(0),
    ]
    #expect(rings(three).map(\.requests) == [[0, 1, 2]])
    let shorter: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(0)]: .line(1), [.line(1)]: .line(2), [.line(2)]: .line(0), [.line(1)]: .line(0),
    ]
    #expect(rings(shorter).map(\.requests) == [[0, 3], [0, 1, 2]])
  }

  /// Fails if: only the innermost turn counts.
  @Test func whatIsHeldOutsideCounts() {
    let rings = rings([[.line(5), .line(0)]: .line(1), [.line(6), .line(1)]: .line(0)])
    #expect(rings.map(\.meetings) == [[.turn(1), .turn(1)]])
  }

  /// Fails if: requests that are only made inside turns of one line are a ring, or those of child tasks in one turn are not.
  @Test func aGateKeepsThemApart() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(0), .line(5)]: .line(1), [.line(1), .line(5)]: .line(0),
    ]
    #expect(rings(requests).isEmpty)
    #expect(rings(requests, siblings: [Order.Pair(0, 1)]).count == 1)
    #expect(rings([[.line(0), .line(5)]: .line(1), [.line(1), .line(6)]: .line(0)]).count == 1)
  }

  /// Fails if: a gate counts although only two of three are behind it, or only counts if all of them are.
  @Test func aGateOfTwoKeepsARingOpen() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(0), .line(5)]: .line(1), [.line(1)]: .line(2), [.line(2), .line(5)]: .line(0),
    ]
    #expect(rings(requests).isEmpty)
  }

  /// Fails if: shared gates keep requests apart.
  @Test func aSharedGateIsNone() {
    let gate = Order.Stake.key(5, 1, .shared)
    #expect(rings([[.line(0), gate]: .line(1), [.line(1), gate]: .line(0)]).count == 1)
  }

  /// Fails if: a set that stands in front links nothing, its own keys are a ring, or a drain links anything.
  @Test func aSetInFrontLinksItsKeys() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [[.line(1)]: .key(0, 1), [.key(0, 2)]: .line(1)]
    #expect(rings(requests).isEmpty)
    let linked = rings([[.line(1)]: .key(0, 1), [.key(0, 2)]: .line(1), []: .keys(0, [1, 2])])
    #expect(linked.map(\.requests) == [[0, 2, 1]])
    #expect(linked.map(\.meetings) == [[.line, .turn(0), .turn(0)]])
    #expect(rings([[.line(1)]: .keys(0, [1, 2]), [.line(2)]: .keys(0, [2, 1]), []: .keys(0, [1, 2])]).isEmpty)
  }

  /// Fails if: a write between two reads is missed, or one of another key counts.
  @Test func aWriteBetweenReads() {
    let read = Order.Stake.key(0, 1, .joined(0))
    let other = Order.Stake.key(0, 1, .joined(1))
    #expect(rings([[.line(1)]: read, [other]: .line(1)]).isEmpty)
    #expect(rings([[.line(1)]: read, [other]: .line(1), []: .key(0, 1)]).count == 1)
    #expect(rings([[.line(1)]: read, [other]: .line(1), []: .everyKey(0)]).count == 1)
    #expect(rings([[.line(1)]: read, [other]: .line(1), []: .key(0, 2)]).isEmpty)
  }

  /// Fails if: a call inside a job stands behind a job that waits for every key, and for the caller's job.
  @Test func aNestedCallGoesBeforeEveryKey() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [[.key(0, 1)]: .key(0, 2), []: .everyKey(0)]
    #expect(rings(requests).isEmpty)
    #expect(rings([[.key(0, 1)]: .key(0, 2), []: .keys(0, [1, 2])]).count == 1)
  }

  /// Fails if: the only slot blocks nothing, or one of two slots is enough, or two slots of one key are.
  @Test func allSlotsMustBeTaken() {
    func stake(_ key: Int, _ slots: Int) -> Order.Stake {
      Order.Stake(owner: 0, keys: [key], slots: slots)
    }
    #expect(
      rings([[.line(1)]: stake(1, 1), [stake(2, 1)]: .line(1)]).map(\.meetings) == [[.slot(0, of: 1), .turn(0)]])
    #expect(rings([[.line(1)]: stake(1, 2), [stake(2, 2)]: .line(1)]).isEmpty)
    #expect(rings([[.line(1)]: stake(1, 2), [stake(2, 2)]: .line(1), [stake(2, 2), .line(3)]: .line(1)]).isEmpty)
    let two = rings([[.line(1)]: stake(1, 2), [stake(2, 2)]: .line(1), [stake(3, 2)]: .line(1)])
    #expect(two.map(\.others) == [[2], [1]])
    #expect(rings([[.line(1)]: stake(1, 2), [stake(2, 2)]: .line(1), [stake(3, 2)]: .line(2)]).isEmpty)
  }

  /// Writes of two accounts out of twelve, in all pairs, each of which requests a token.
  ///
  /// Fails if: requests in one line are followed in all their orders, or none is followed.
  @Test func manyInOneLine() {
    var requests: [Order.Request] = []
    for first in 0..<12 {
      for second in 0..<first {
        requests.append(Order.Request(held: [.keys(0, [first, second])], wanted: .line(1)))
        requests.append(Order.Request(held: [], wanted: .keys(0, [first, second])))
      }
    }
    var search = RingSearch(requests, siblings: [])
    #expect(search.run().isEmpty && !search.hasGivenUp)
    // One that has the token requests an account.
    requests.append(Order.Request(held: [.line(1)], wanted: .key(0, 3)))
    search = RingSearch(requests, siblings: [])
    #expect(search.run().count { $0.requests.count == 2 } == 11)
  }

  /// Fails if: a ring over two requests in a line is found with needless requests between them, or without necessary ones.
  @Test func whatStandsBetweenIsLeftOut() {
    let found = rings([
      [.line(1)]: .key(0, 1), [.key(0, 3)]: .line(1), []: .keys(0, [1, 3]), [.line(7)]: .keys(0, [1, 2]),
    ])
    #expect(found.map(\.requests) == [[0, 2, 1]])
    let chain = rings([
      [.line(1)]: .key(0, 1), [.key(0, 3)]: .line(1), []: .keys(0, [1, 2]), [.line(7)]: .keys(0, [2, 3]),
    ])
    #expect(chain.map(\.requests) == [[0, 2, 3, 1]])
    // The one between has the other of two slots.
    let slots = (1...3).map { Order.Stake(owner: 9, keys: [$0], slots: 2) }
    let taken = rings([
      [slots[0]]: .key(0, 1), [slots[1]]: .keys(0, [1, 2]), [.key(0, 3)]: slots[2], []: .keys(0, [1, 3]),
    ])
    #expect(taken.map(\.requests) == [[0, 1, 3, 2], [0, 3, 2, 1]])
  }

  /// Fails if: a job without keys counts as having some, or holders that a gate keeps apart fill the slots.
  @Test func jobsOfNoKeyAndGates() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(1), .keys(0, [])]: .key(0, 1), [.key(0, 2)]: .line(1), []: .everyKey(0),
    ]
    #expect(rings(requests).count == 1)
    func slot(_ key: Int) -> Order.Stake { Order.Stake(owner: 0, keys: [key], slots: 2) }
    #expect(rings([[.line(1)]: slot(1), [slot(2), .line(5)]: .line(1), [slot(3), .line(5)]: .line(1)]).isEmpty)
  }

  /// Fails if: thousands of requests of one line are all compared (which takes minutes and gigabytes), or a ring beside them that
  /// needs no line is missed.
  @Test func thousandsInOneLine() {
    var requests = (0..<5_000).map { Order.Request(held: [.key(0, $0)], wanted: .line(1)) }
    var search = RingSearch(requests, siblings: [])
    #expect(search.run().isEmpty && !search.hasGivenUp)
    requests.append(Order.Request(held: [.line(1)], wanted: .key(0, 7)))
    search = RingSearch(requests, siblings: [])
    #expect(search.run() == [RingSearch.Ring(requests: [7, 5_000], meetings: [.turn(0), .turn(0)])])
    #expect(search.hasGivenUp)
  }

  /// Fails if: the search does not end, does not report that it gave up, or then has missed short rings.
  @Test func itGivesUp() {
    var requests: [Order.Request] = []
    for from in 0..<12 {
      for to in 0..<12 where from != to { requests.append(Order.Request(held: [.line(from)], wanted: .line(to))) }
    }
    var search = RingSearch(requests, siblings: [], steps: 5000)
    let rings = search.run()
    #expect(search.hasGivenUp && rings.count { $0.requests.count == 2 } == 66)
  }

  private func rings(
    _ requests: KeyValuePairs<[Order.Stake], Order.Stake>, siblings: Set<Order.Pair> = []
  ) -> [RingSearch.Ring] {
    var search = RingSearch(requests.map { Order.Request(held: $0.key, wanted: $0.value) }, siblings: siblings)
    return search.run()
  }
}
