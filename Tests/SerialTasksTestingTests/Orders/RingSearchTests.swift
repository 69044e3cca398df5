import TestWatch
import Testing

@testable import SerialTasksTesting

/// Which requests are rings, without tasks.
@Suite(.watched) struct RingSearchTests {
  /// Fails if: two that ask for each other's line are no ring, it is found twice, or does not begin with the first.
  @Test func twoInOppositeOrder() {
    let rings = rings([[.line(1)]: .line(0), [.line(0)]: .line(1)])
    #expect(rings == [RingSearch.Ring(requests: [0, 1], meetings: [.turn(0), .turn(0)])])
  }

  /// Fails if: a ring is found where all ask in one order.
  @Test func oneOrderIsNoRing() {
    #expect(rings([[.line(0)]: .line(1), [.line(1), .line(0)]: .line(2), [.line(0), .line(5)]: .line(2)]).isEmpty)
  }

  /// Fails if: only rings of two are found, or a ring of three with a shortcut is found beside it.
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

  /// Fails if: only what is held innermost counts.
  @Test func whatIsHeldOutsideCounts() {
    let rings = rings([[.line(5), .line(0)]: .line(1), [.line(6), .line(1)]: .line(0)])
    #expect(rings.map(\.meetings) == [[.turn(1), .turn(1)]])
  }

  /// Fails if: requests that are made only inside the turns of one line are a ring, or those of child tasks in one turn are none.
  @Test func aGateKeepsThemApart() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(0), .line(5)]: .line(1), [.line(1), .line(5)]: .line(0),
    ]
    #expect(rings(requests).isEmpty)
    #expect(rings(requests, siblings: [Order.Pair(0, 1)]).count == 1)
    #expect(rings([[.line(0), .line(5)]: .line(1), [.line(1), .line(6)]: .line(0)]).count == 1)
  }

  /// Fails if: a gate counts although only two of three are behind it, or it must keep all of them apart.
  @Test func aGateOfTwoKeepsARingOpen() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(0), .line(5)]: .line(1), [.line(1)]: .line(2), [.line(2), .line(5)]: .line(0),
    ]
    #expect(rings(requests).isEmpty)
  }

  /// Fails if: shared gates keep anything apart.
  @Test func aSharedGateIsNone() {
    let gate = Order.Stake.key(5, 1, .shared)
    #expect(rings([[.line(0), gate]: .line(1), [.line(1), gate]: .line(0)]).count == 1)
  }

  /// Fails if: a set that stands in front links nothing, its own keys are a ring, or one that drains links anything.
  @Test func aSetInFrontLinksItsKeys() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [[.line(1)]: .key(0, 1), [.key(0, 2)]: .line(1)]
    #expect(rings(requests).isEmpty)
    let linked = rings([[.line(1)]: .key(0, 1), [.key(0, 2)]: .line(1), []: .keys(0, [1, 2])])
    #expect(linked.map(\.requests) == [[0, 2, 1]])
    #expect(linked.map(\.meetings) == [[.line, .turn(0), .turn(0)]])
    #expect(rings([[.line(1)]: .keys(0, [1, 2]), [.line(2)]: .keys(0, [2, 1]), []: .keys(0, [1, 2])]).isEmpty)
  }

  /// Fails if: a write between two reads is not seen, or one of another key is.
  @Test func aWriteBetweenReads() {
    let read = Order.Stake.key(0, 1, .joined(0))
    let other = Order.Stake.key(0, 1, .joined(1))
    #expect(rings([[.line(1)]: read, [other]: .line(1)]).isEmpty)
    #expect(rings([[.line(1)]: read, [other]: .line(1), []: .key(0, 1)]).count == 1)
    #expect(rings([[.line(1)]: read, [other]: .line(1), []: .everyKey(0)]).count == 1)
    #expect(rings([[.line(1)]: read, [other]: .line(1), []: .key(0, 2)]).isEmpty)
  }

  /// Fails if: a call inside a job stands behind one that waits for every key, and so for that job.
  @Test func aNestedCallGoesBeforeEveryKey() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [[.key(0, 1)]: .key(0, 2), []: .everyKey(0)]
    #expect(rings(requests).isEmpty)
    #expect(rings([[.key(0, 1)]: .key(0, 2), []: .keys(0, [1, 2])]).count == 1)
  }

  /// Fails if: one slot is in no other's way, or of two slots one is enough; or the two are of one key.
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

  /// Writes of two accounts of twelve, in all pairs, of which each asks for a token.
  ///
  /// Fails if: many that stand in one line are followed in all their orders, or none of them is followed.
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
    // One that has the token asks for an account.
    requests.append(Order.Request(held: [.line(1)], wanted: .key(0, 3)))
    search = RingSearch(requests, siblings: [])
    #expect(search.run().count { $0.requests.count == 2 } == 11)
  }

  /// Fails if: a ring over two that stand in line is found with what stands between them, or without what has to.
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

  /// Fails if: a job that touches no key counts as one that has some, or holders that a gate keeps apart fill the slots.
  @Test func jobsOfNoKeyAndGates() {
    let requests: KeyValuePairs<[Order.Stake], Order.Stake> = [
      [.line(1), .keys(0, [])]: .key(0, 1), [.key(0, 2)]: .line(1), []: .everyKey(0),
    ]
    #expect(rings(requests).count == 1)
    func slot(_ key: Int) -> Order.Stake { Order.Stake(owner: 0, keys: [key], slots: 2) }
    #expect(rings([[.line(1)]: slot(1), [slot(2), .line(5)]: .line(1), [slot(3), .line(5)]: .line(1)]).isEmpty)
  }

  /// Fails if: thousands of requests of one line are all compared (then this takes minutes and gigabytes), or a ring is missed
  /// beside them that needs no line.
  @Test func thousandsInOneLine() {
    var requests = (0..<5_000).map { Order.Request(held: [.key(0, $0)], wanted: .line(1)) }
    var search = RingSearch(requests, siblings: [])
    #expect(search.run().isEmpty && !search.hasGivenUp)
    requests.append(Order.Request(held: [.line(1)], wanted: .key(0, 7)))
    search = RingSearch(requests, siblings: [])
    #expect(search.run() == [RingSearch.Ring(requests: [7, 5_000], meetings: [.turn(0), .turn(0)])])
    #expect(search.hasGivenUp)
  }

  /// Fails if: the search goes on without an end, does not say that it has given up, or has missed short rings then.
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
