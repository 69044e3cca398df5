import TestWatch
import Testing

@testable import SerialTasksTesting

/// Which requests are kept, without tasks.
@Suite(.watched) struct OrderTests {
  var order = Order(limit: 4)

  /// Fails if: one kind of request is kept twice.
  @Test mutating func itKeepsEachKindOnce() {
    for turn in 0..<1000 { note([.line(0)], .line(1), in: [turn]) }
    note([.line(1)], .line(0), in: [0])
    #expect(
      order.requests == [
        Order.Request(held: [.line(0)], wanted: .line(1)), Order.Request(held: [.line(1)], wanted: .line(0)),
      ])
    #expect(!order.isFull)
  }

  /// Fails if: the names are those of a later or another request.
  @Test mutating func itKeepsTheFirstNames() {
    for job in ["save", "report"] {
      order.note(
        Order.Request(held: [.line(0)], wanted: .line(1)), in: [Order.Turn(generation: 0, number: 0)], by: 0,
        Order.Jobs(holders: [job], wanted: nil))
    }
    #expect(order.jobs.map(\.holders) == [["save"]])
  }

  /// Fails if: there is no limit, it is off by one, reaching it is not reported, or known requests count against it.
  @Test mutating func itStopsAtItsLimit() {
    for line in 1...4 { note([.line(0)], .line(line), in: [0]) }
    #expect(!order.isFull)
    note([.line(0)], .line(4), in: [1])
    #expect(!order.isFull)
    note([.line(0)], .line(5), in: [0])
    #expect(order.requests.count == 4 && order.isFull)
  }

  /// Fails if: a call that waits for its own turn is kept, although it is always rejected.
  @Test mutating func itLeavesOutWhatWaitsForItself() {
    note([.line(1), .line(0)], .line(0), in: [1, 0])
    note([.key(0, 1)], .everyKey(0), in: [0])
    #expect(order.requests.isEmpty)
    note([.key(0, 1)], .key(0, 2), in: [0])
    #expect(order.requests.count == 1)
  }

  /// Fails if: requests outside of turns are kept among the others, twice, or without a limit, or a drain is kept.
  @Test mutating func itKeepsWhatMayStandInFront() {
    for key in [1, 1, 2, 3, 4, 5] { note([], .key(0, key), in: []) }
    note([], .line(1, .drain), in: [])
    #expect(order.outside.map(\.stake) == (1...4).map { .key(0, $0) })
    #expect(order.requests.isEmpty && !order.isFull && order.outsideUnknown == [0])
  }

  /// Fails if: requests of two tasks in one turn are not a pair, or those of one task or in two turns are.
  @Test mutating func itFindsWhatChildTasksDoBesideEachOther() {
    let (first, second) = (
      ([Order.Stake.line(1), .line(0)], Order.Stake.line(2)), ([Order.Stake.line(2), .line(0)], Order.Stake.line(1))
    )
    note(first.0, first.1, in: [1, 7], by: 1)
    note(second.0, second.1, in: [2, 7], by: 1)
    #expect(order.siblings.isEmpty)
    note(second.0, second.1, in: [3, 8], by: 2)
    #expect(order.siblings.isEmpty)
    note(first.0, first.1, in: [4, 8], by: 3)
    #expect(order.siblings == [Order.Pair(0, 1)])
  }

  /// Fails if: a request is no longer paired with those of its first task once another task has made it.
  @Test mutating func aRequestOfManyTasksIsBesideAnyOther() {
    note([.line(3), .line(0)], .line(1), in: [1, 7], by: 1)
    note([.line(3), .line(0)], .line(1), in: [2, 7], by: 2)
    note([.line(4), .line(0)], .line(2), in: [1, 7], by: 2)
    #expect(order.siblings == [Order.Pair(0, 1)])
  }

  /// Fails if: a request that holds only the common turn is paired with requests inside it.
  @Test mutating func whatHoldsOnlyTheCommonTurnIsBesideNothing() {
    note([.line(0)], .line(1), in: [7], by: 1)
    note([.line(1), .line(0)], .line(2), in: [1, 7], by: 2)
    #expect(order.siblings.isEmpty)
  }

  /// Fails if: two requests that hold the same line inside their common turn are a pair.
  @Test mutating func whatIsHeldInsideStillKeepsThemApart() {
    note([.line(1), .line(3), .line(0)], .line(2), in: [1, 2, 7], by: 1)
    note([.line(2), .line(3), .line(0)], .line(1), in: [3, 4, 7], by: 2)
    #expect(order.siblings.isEmpty)
  }

  private mutating func note(_ held: [Order.Stake], _ wanted: Order.Stake, in turns: [Int], by task: Int = 0) {
    let turns = zip(held, turns).map { Order.Turn(generation: UInt($0.owner), number: UInt64($1)) }
    order.note(
      Order.Request(held: held, wanted: wanted), in: turns, by: task, Order.Jobs(holders: held.map { _ in nil }))
  }
}

/// Which stakes block which.
@Suite(.watched) struct OrderStakeTests {
  /// Fails if: any cell differs: whether a call that requests the first waits for one that has the second.
  @Test(arguments: [
    (Order.Stake.line(0), Order.Stake.line(0), true), (.line(0), .line(1), false), (.key(0, 1), .key(0, 1), true),
    (.key(0, 1), .key(0, 2), false), (.key(0, 1), .key(1, 1), false), (.keys(0, [1, 2]), .keys(0, [2, 3]), true),
    (.everyKey(0), .key(0, 1), true), (.key(0, 1), .everyKey(0), true), (.keys(0, []), .everyKey(0), false),
    (.everyKey(0), .keys(0, []), false), (.line(0, .drain), .keys(0, []), true),
    (.line(0, .drain), .key(0, 1, .shared), true),
    (.key(0, 1, .shared), .key(0, 1, .shared), false), (.key(0, 1, .shared), .key(0, 1), true),
    (.key(0, 1), .key(0, 1, .shared), true), (.key(0, 1, .joined(0)), .key(0, 1, .joined(0)), true),
    (.key(0, 1, .joined(0)), .key(0, 1, .joined(1)), false), (.key(0, 1, .joined(0)), .key(0, 2, .joined(0)), false),
    (.key(0, 1, .joins(0)), .key(0, 1, .joined(0)), true), (.key(0, 1, .joins(0)), .key(0, 1, .joined(1)), false),
    (.key(0, 1, .joins(0)), .key(0, 1), false), (.key(0, 1, .joined(0)), .key(0, 1, .shared), false),
    (.key(0, 1, .drain), .key(0, 1, .joined(0)), true),
  ])
  func aCallWaitsForATurn(_ wanted: Order.Stake, _ held: Order.Stake, _ waits: Bool) {
    #expect(wanted.waits(for: held) == waits)
  }

  /// Fails if: a job with the only slot does not exclude another, or one with one of two slots does.
  @Test func oneSlotKeepsJobsApart() {
    var (one, other) = (Order.Stake.key(0, 1), Order.Stake.key(0, 2))
    #expect(!one.excludes(other))
    (one.slots, other.slots) = (1, 1)
    #expect(one.excludes(other))
    (one.slots, other.slots) = (2, 2)
    #expect(!one.excludes(other))
  }

  /// Fails if: any cell differs: whether a call that requests the first waits behind one that waits for the second.
  @Test(arguments: [
    (Order.Stake.key(0, 1), Order.Stake.keys(0, [1, 2]), true), (.key(0, 1, .shared), .key(0, 1), true),
    (.key(0, 1, .shared), .key(0, 1, .joined(0)), false), (.key(0, 1), .line(0, .drain), false),
    (.key(0, 1), .key(0, 2), false),
  ])
  func aCallStandsBehindAnother(_ wanted: Order.Stake, _ first: Order.Stake, _ waits: Bool) {
    #expect(wanted.waits(behind: first) == waits)
    var hasty = wanted
    hasty.goesFirst = true
    #expect(!hasty.waits(behind: first))
  }
}

extension Order.Stake {
  static func line(_ owner: Int, _ mode: Mode = .alone) -> Self { Self(owner: owner, keys: nil, mode: mode) }

  static func everyKey(_ owner: Int) -> Self { line(owner) }

  static func key(_ owner: Int, _ key: Int, _ mode: Mode = .alone) -> Self {
    Self(owner: owner, keys: [key], mode: mode)
  }

  static func keys(_ owner: Int, _ keys: [Int]) -> Self { Self(owner: owner, keys: keys) }
}
