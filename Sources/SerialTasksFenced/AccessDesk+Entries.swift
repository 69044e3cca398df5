extension AccessDesk.Entries {
  mutating func entry(of key: StableKey<Key>, _ terms: AccessState<Holding>.Terms) -> AccessDesk.Entry {
    if let entry = byKey[key] { return entry }
    made += 1
    let entry = AccessDesk.Entry(key, made, terms)
    byKey[entry.key] = entry
    return entry
  }

  var all: [AccessDesk.Entry] { byKey.values.sorted { $0.number < $1.number } }
}

extension AccessDesk {
  typealias Ending = AccessState<Holding>.Ending

  /// Removes unused entries after the change, and carries out what was decided.
  @inline(never)
  func update(_ body: (inout Entries) -> [(Entry, Ending)]) {
    let (decided, forgotten, opened) = entries.withLock { entries in
      let decided = body(&entries)
      // Keys are released after the unlock.
      let forgotten = decided.compactMap { entry, _ in
        // The key may belong to another entry by now.
        guard entry.state.isUnused, entries.byKey[entry.key] === entry else { return nil as Entry? }
        return entries.byKey.removeValue(forKey: entry.key)
      }
      let opened = decided.compactMap { entry, ending in if case .cancel = ending { entry.front } else { nil } }
      checkInvariants(entries)
      return (decided.map(\.1), forgotten, opened)
    }
    _ = forgotten
    for ending in decided {
      switch ending {
      case .nothing: break
      case .release(let holding): holding.release()
      case .cancel(let holding): holding.cancel()
      }
    }
    for front in opened { front.open() }
  }

  /// Traps in debug builds if access is requested or free although all jobs of the key wait in the line: no job would
  /// use it.
  ///
  /// A pause releases unused access when it is noted. O(keys), for a few keys.
  private func checkInvariants(_ entries: Entries) {
    assert(
      entries.byKey.count > 8
        || entries.byKey.values.allSatisfy { entry in
          guard entry.state.awaitsJob else { return true }
          let standing = standing(of: entry)
          return standing.isPaused || standing.running > 0 || entry.state.jobs > standing.waiting
        }, "access is held for a job that waits for its turn")
  }

  var busyKeys: Int { entries.withLock { $0.byKey.count } }

  var heldKeys: Int { entries.withLock { entries in entries.byKey.values.count { $0.state.held != nil } } }
}
