import SerialTasks
import Testing

@Suite(.watched) struct WaiterListTests {
  /// Every order of taking three waiters out of a list leaves the others in order.
  ///
  /// Fails if: `remove` forgets to mend `first`, `last` or a neighbour.
  @Test func removingAnywhereKeepsTheRestInOrder() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var list = WaiterList()
      let waiters = (0..<3).map { Waiter(name: "\($0)") }
      for waiter in waiters { list.append(waiter) }
      var expected = [0, 1, 2]
      for index in order {
        list.remove(waiters[index])
        expected.removeAll { $0 == index }
        let (names, count, first, last) = (list.elements.map(\.name), list.count, list.first, list.last)
        let before = first.flatMap { list.before($0) }
        #expect(names == expected.map { "\($0)" })
        #expect(count == expected.count)
        #expect(last?.name == expected.last.map { "\($0)" })
        #expect(before == nil)
      }
      let isEmpty = list.isEmpty
      #expect(isEmpty)
    }
  }

  @Test func appendAndPrepend() {
    var list = WaiterList()
    let waiters = (0..<4).map { Waiter(name: "\($0)") }
    list.append(waiters[1])
    list.prepend(waiters[0])
    list.append(waiters[2])
    list.prepend(waiters[3])
    let all = list.elements.map(\.name)
    let first = list.removeFirst()?.name
    let rest = list.removeAll().map(\.name)
    let count = list.count
    #expect(all == ["3", "0", "1", "2"])
    #expect(first == "3")
    #expect(rest == ["0", "1", "2"])
    #expect(count == 0)
  }

  /// A hundred thousand waiters are released one by one, not by a recursion that overflows the stack.
  @Test func aLongListIsReleased() {
    var list = WaiterList()
    for _ in 0..<100_000 { list.append(Waiter()) }
    let removed = list.removeAll().count
    #expect(removed == 100_000)
  }
}

extension LinkedList {
  var elements: [Element] {
    var elements: [Element] = []
    forEach { elements.append($0) }
    return elements
  }
}
