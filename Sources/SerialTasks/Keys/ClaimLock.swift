/// The lock of a ``ClaimTable``, and the turn of a caller that finds the line free and touches every key, while no other task
/// looks.
///
/// As with the line of one executor (``TurnWord``), what the word knows is moved into the table before the table is looked at.
@usableFromInline
package struct ClaimLock: ~Copyable, Sendable {
  /// Reached through ``withLock(_:)`` alone, but by observers, who ask only for those that wait.
  @usableFromInline package let lock: Lock<ClaimTable>
  private let word: TurnWord
  /// Whether there may be callers that touch every key, and of which nothing is to be told.
  @usableFromInline let hasWord: Bool

  init(_ table: consuming ClaimTable, hasWord: Bool) {
    lock = Lock(table)
    word = TurnWord(isOpen: hasWord)
    self.hasWord = hasWord
  }

  @inlinable
  package borrowing func withLock<Result: Sendable>(_ body: (inout ClaimTable) -> Result) -> Result {
    lock.withLock { table in
      if hasWord { close(&table) }
      let result = body(&table)
      if hasWord { open(table) }
      return result
    }
  }

  @usableFromInline
  borrowing func close(_ table: inout ClaimTable) {
    if let task = word.close() { _ = table.enter(name: nil, task: task) }
  }

  @usableFromInline
  borrowing func open(_ table: borrowing ClaimTable) {
    if table.isFree, !table.isClosed { word.open() }
  }

  @inline(__always)
  func enter() -> TaskReference? { word.enter() }
  func leave(_ task: TaskReference) -> Bool { word.leave(task) }
}
