/// The shell around ``KeyedLineTable``, and the owner of its lines.
///
/// Locks are taken in one order: the table's, and inside it that of a line, which only decides there and wakes
/// nobody. Under the table's lock keys are compared, and nothing else that is foreign is done.
@usableFromInline
package final class KeyedLines<Key: Hashable & Sendable>: LineOwner, @unchecked Sendable {
  // Safe because the table is behind its lock and the rest is immutable; `@unchecked` is inherited from `LineOwner`.

  @usableFromInline typealias KeyedLine = SerialTasks.KeyedLine<Key>

  @usableFromInline let table = Lock(KeyedLineTable<Key>())
  let name: String?
  let capacity: Int?
  @usableFromInline let onEvent: (@Sendable (TaskEvent) -> Void)?

  package init(name: String?, capacity: Int?, onEvent: (@Sendable (TaskEvent) -> Void)?) {
    // As soon as it is set, and not when the first key comes.
    if let capacity, capacity < 1 { fatalError("capacityPerKey must be at least 1, and is \(capacity)") }
    self.name = name
    self.capacity = capacity
    self.onEvent = onEvent
  }

  // MARK: Lending

  package override func release(from submission: Submission) {
    carryOut(
      table.withLock { table in
        submission.hasReleasedLine = true
        return leave(own(submission.line), &table)
      })
  }

  package override func hold(for submission: Submission) -> Bool {
    table.withLock { _ in
      if !submission.hasReleasedLine { own(submission.line).users += 1 }
      return !submission.hasReleasedLine
    }
  }

  package override func release(_ line: Line) { release(own(line)) }

  /// Safe because a submission is given its line and its owner together, and every line of this owner is of this
  /// type.
  private func own(_ line: Line) -> KeyedLine { unsafeDowncast(line, to: KeyedLine.self) }
}

// MARK: - Using the line of a key

extension KeyedLines {
  /// The key's line, which stays its line until it is given back.
  @inlinable
  func use(_ key: Key) -> KeyedLine {
    let key = StableKey(key)
    return table.withLock { table in
      let line: KeyedLine
      switch table.use(key) {
      case .line(let used): line = used
      case .needsLine:
        line = makeLine(isPaused: table.isPaused, isClosed: table.isClosed)
        table.adopt(line, for: key)
      }
      // Places are only seen in events.
      if onEvent != nil, line.users == 1 { line.advance(to: table.lastPlace) }
      return line
    }
  }

  @inlinable
  func release(_ line: KeyedLine) { carryOut(table.withLock { leave(line, &$0) }) }

  @inlinable
  func leave(_ line: KeyedLine, _ table: inout KeyedLineTable<Key>) -> KeyedLineTable<Key>.Leaving {
    if onEvent != nil, line.users == 1 { table.lastPlace = max(table.lastPlace, line.lastPlace) }
    return table.leave(line)
  }

  /// What is let go of with the value is let go of here, outside the lock.
  @inlinable
  func carryOut(_ leaving: consuming KeyedLineTable<Key>.Leaving) {
    if case .allIdle(_, _, let drainers) = leaving { wake(drainers) }
  }

  @usableFromInline
  func wake(_ drainers: [Waiter]) {
    Wake.many(table.withLock { _ in drainers.compactMap { $0.takeSuspension() } }).carryOut()
  }

  @usableFromInline
  @inline(never)
  func makeLine(isPaused: Bool, isClosed: Bool) -> KeyedLine {
    let line = KeyedLine(owner: ObjectIdentifier(self), name: name, capacity: capacity, onEvent: onEvent)
    line.state.withLock { state in
      if isPaused { state.pause() }
      if isClosed { state.close() }
    }
    return line
  }
}

extension Line {
  @usableFromInline var lastPlace: Place { state.withLock { $0.lastPlace } }

  @usableFromInline func advance(to place: Place) { state.withLock { $0.advance(to: place) } }
}
