import SerialTasks

extension WaitObservers where State: ~Copyable {
  package nonisolated(nonsending) func wait(
    in room: borrowing Lock<State>, isCancellable: Bool = true, patience: Duration? = nil,
    until isReached: @escaping @Sendable (borrowing State) -> Bool
  ) async -> JobRejection? {
    let observer = Observer(isReached: isReached)
    guard add(observer, in: room) else { return nil }
    let why = await observer.latch.wait(patience: patience, isCancellable: isCancellable)
    return why != nil && forget(observer) ? why : nil
  }

  @inline(never)
  private func add(_ observer: Observer, in room: borrowing Lock<State>) -> Bool {
    room.withLock { state in
      if observer.isReached(state) { return false }
      lists.withLock { lists in
        lists.watching.append(observer)
        isObserved.store(true, ordering: .relaxed)
      }
      return true
    }
  }

  @inline(never)
  private func forget(_ observer: Observer) -> Bool {
    lists.withLock { lists in
      guard let index = lists.watching.firstIndex(where: { $0.latch === observer.latch }) else { return false }
      lists.watching.remove(at: index)
      isObserved.store(!lists.watching.isEmpty || !lists.reached.isEmpty, ordering: .relaxed)
      return true
    }
  }
}

extension Latch {
  /// Counts the patience in ten parts, after each of which the task must get a thread: it ends only if nothing
  /// happens, not because the machine is slow.
  fileprivate nonisolated(nonsending) func wait(patience: Duration?, isCancellable: Bool) async -> JobRejection? {
    guard let patience else { return await wait(isCancellable: isCancellable) }
    for _ in 0..<10 {
      let why = await wait(atMost: patience / 10, isCancellable: isCancellable)
      if why != .late { return why }
    }
    return .late
  }
}

extension Line {
  package nonisolated(nonsending) final func wait(
    patience: Duration?, until isReached: @escaping @Sendable (borrowing LineState) -> Bool
  ) async -> JobRejection? {
    isObserved.store(true, ordering: .relaxed)
    let observers = locked { state in
      let rare = state.rareState
      let observers = rare.observers ?? WaitObservers()
      rare.observers = observers
      return observers
    }
    return await observers.wait(in: lock, patience: patience, until: isReached)
  }
}

extension KeyedLine {
  /// The number of keys that jobs touch, and of keys that the table has room for.
  package var size: (busy: Int, capacity: Int) { locked { _ in keys.size } }
}
