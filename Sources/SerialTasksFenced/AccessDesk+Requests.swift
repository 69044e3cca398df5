extension AccessDesk {
  func ask(_ holding: Holding, _ entry: Entry) {
    let key = entry.key.key
    let request = requests.submitDetached(for: key, priority: Task.currentPriority) { [self] in
      let unbegun = try requests.line.beginUnbegun().get()
      defer { unbegun.end() }
      try await access.withAccess(to: key) { fence in
        unbegun.end()
        guard grant(holding, entry, fence) else { return }
        await hold(holding, entry, fence)
      }
    }
    holding.keep(request)
    request.whenComplete { [self] result in
      let error: any Error = if case .failure(let error) = result { error } else { AccessError.notGranted }
      end(holding, entry, error)
    }
  }

  @inline(never)
  private func grant(_ holding: Holding, _ entry: Entry, _ fence: Fence) -> Bool {
    holding.keep(fence)
    let now = clock.now
    let (isWanted, front) = entries.withLock { _ in (entry.state.grant(holding, at: now), entry.front) }
    if isWanted { front?.open() }
    return isWanted
  }

  private nonisolated(nonsending) func hold(_ holding: Holding, _ entry: Entry, _ fence: Fence) async {
    if terms.keeping <= .zero {
      _ = await holding.hold()
      return
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        // If the engine can no longer report requests, this counts as one.
        try? await access.waitUntilAnotherAsks(for: entry.key.key, under: fence)
        want(holding, entry)
      }
      var pause = terms.keeping
      while await holding.hold(atMost: pause), case .look(let next) = keep(holding, entry) { pause = next }
      group.cancelAll()
    }
  }

  @inline(never)
  private func want(_ holding: Holding, _ entry: Entry) {
    let now = clock.now
    update { _ in [(entry, entry.state.want(holding, at: now))] }
  }

  @inline(never)
  private func keep(_ holding: Holding, _ entry: Entry) -> AccessState<Holding>.Keeping {
    let now = clock.now
    var keeping = AccessState<Holding>.Keeping.over
    update { _ in
      let (next, ending) = entry.state.keep(holding, at: now)
      keeping = next
      return [(entry, ending)]
    }
    return keeping
  }

  @inline(never)
  private func end(_ holding: Holding, _ entry: Entry, _ error: any Error) {
    var opened: [Latch?] = []
    update { entries in
      entry.state.end(holding, error)
      entries.requests -= 1
      opened = [entry.front, entries.requests == 0 ? entries.quiet.take() : nil]
      return [(entry, .nothing)]
    }
    holding.release()
    for latch in opened { latch?.open() }
  }
}
