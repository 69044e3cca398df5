import SerialTasks

/// A suspension that is a number and no continuation, by which a test of a state sees which waiter would go on. It must not be resumed.
extension Suspension {
  init(tag: Int) { self = unsafeBitCast((tag + 1) << 16, to: Suspension.self) }

  var tag: Int { unsafeBitCast(self, to: Int.self) >> 16 - 1 }
}
