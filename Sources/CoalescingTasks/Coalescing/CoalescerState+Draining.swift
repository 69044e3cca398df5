// How a coalescer is closed and drained.

extension CoalescerState {
  package mutating func close() { isClosed = true }

  /// The flights whose tasks have not ended, wanted or not.
  package var unended: [Flight] {
    Array(current.values) + Array(trailing.values) + Array(detached.values) + Array(abandoned.values)
  }
}
