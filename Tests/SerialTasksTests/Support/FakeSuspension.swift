import SerialTasks

/// A suspension that is a number and no continuation, by which a test of a state sees which waiter would go on. It must not be resumed.
extension Suspension {
  init(tag: Int) { self = unsafeBitCast((tag + 1) << 16, to: Suspension.self) }

  var tag: Int { unsafeBitCast(self, to: Int.self) >> 16 - 1 }
}

extension Waiter {
  /// Parks under its number, as its task would; the number is in `resumed` of the effects when it is to go on.
  func park(tag: Int) -> Bool {
    // As if its task had been made.
    awaitsTask = false
    return park(Suspension(tag: tag))
  }
}

extension Few {
  var elements: [Element] {
    var elements: [Element] = []
    forEach { elements.append($0) }
    return elements
  }
}
