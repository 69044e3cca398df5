import SerialTasks

// MARK: - The calls that models make

extension FlightLog {
  /// Asks for the key, and waits for the answer.
  func call(_ name: String, _ key: Key, _ work: Work) async {
    let call = ask(name, key)
    calls[call].mustBeServed =
      hasOneKey && !clock.isHesitant && !Task.isCancelled && coalescer.snapshot.stored > 0
    do {
      let answer = try await coalescer.answer(for: key, name: name) { try await self.fly(call, work) }
      returns(call, answer.value.flight, answer.source)
    } catch { fails(call, error) }
  }

  func prefetch(_ name: String, _ key: Key, expiresAfter: Int = 1_000, _ work: Work) {
    let snapshot = coalescer.snapshot
    let call = ask(name, key, expiresAfter: expiresAfter)
    coalescer.prefetch(key, expiresAfter: .milliseconds(expiresAfter), name: name) { try await self.fly(call, work) }
    let mustStart = snapshot.flights == 0 && snapshot.stored == 0 && !clock.isHesitant
    world.expect(
      !mustStart || calls[call].flight != nil, "a prefetch starts where nothing runs and nothing is kept", name)
  }

  /// A call is about to begin; nothing may come between this and the call.
  private func ask(_ name: String, _ key: Key, expiresAfter: Int? = nil) -> Int {
    world.note(name, expiresAfter == nil ? "asks for" : "prefetches", "\(key)")
    calls.append(
      Call(
        name: name, key: key, expiresAfter: expiresAfter, priority: Task.currentPriority,
        wasCancelled: Task.isCancelled))
    let call = calls.count - 1
    if Task.isCancelled, expiresAfter == nil {
      calls[call].cancelled = tick()
    } else if expiresAfter != nil || joinWindow != nil || coalescer.shelved > 0 {
      // Otherwise nothing depends on the time, and the next to look at the clock is the report of what was decided.
      clock.onReading = { self.calls[call].reading = $0 }
    }
    return call
  }

  /// Cancels the task that asks wherever the strategy places it.
  func cancelAnywhere(_ task: Task<Void, Never>, _ name: String) {
    world.cancelAnywhere(name, task) {
      for call in self.calls.indices where self.isOf(call, name) && self.calls[call].cancelled == nil {
        self.calls[call].cancelled = self.tick()
      }
    }
  }

  /// Calls are named after the task that makes them, with a number.
  private func isOf(_ call: Int, _ name: String) -> Bool {
    calls[call].expiresAfter == nil && calls[call].name.hasPrefix(name)
  }
}

// MARK: - Forgetting

extension FlightLog {
  /// Invalidates the key, or every key.
  func invalidate(_ key: Key?) {
    world.note(key.map { "\($0)" } ?? "every key", "is invalidated")
    forget(key)
    for flight in flights.indices where isMeant(flights[flight].key, key) { flights[flight].isDetached = true }
    if let key { coalescer.invalidate(key) } else { coalescer.invalidateAll() }
    checkNothingKept(key)
  }

  /// Cancels the key, or every key: the log-out.
  func cancel(_ key: Key?) {
    world.note(key.map { "\($0)" } ?? "every key", "is cancelled")
    forget(key)
    for call in calls.indices where isMeant(calls[call].key, key) && !calls[call].isAnswered {
      calls[call].wasCleared = true
    }
    // What another task is withdrawing is left to that task.
    let flying = flights.indices.filter {
      isMeant(flights[$0].key, key) && !flights[$0].isFinished && !flights[$0].isWithdrawn
    }
    // And what all callers have left is for the last of them to stop.
    let wanted = flying.filter { !isUnwanted(flights[$0]) }
    for index in flying {
      (flights[index].isWithdrawn, flights[index].isBeingWithdrawn) = (true, true)
      for rider in flights[index].riders where calls[rider].flight == index && calls[rider].cancelled == nil {
        calls[rider].mustBeWithdrawn = true
      }
    }
    if let key { coalescer.cancel(key) } else { coalescer.cancelAll() }
    for flight in wanted { flights[flight].isToldToStop = true }
    for index in flying {
      flights[index].isBeingWithdrawn = false
      // A caller that left in the meantime could not ask for that yet.
      checkLeft(index)
    }
  }

  private func forget(_ key: Key?) {
    for meant in Key.allCases where isMeant(meant, key) { forgotten.append((meant, tick())) }
  }

  private func isMeant(_ key: Key, _ meant: Key?) -> Bool { meant == nil || key == meant }

  private func checkNothingKept(_ key: Key?) {
    guard key == nil || hasOneKey else { return }
    world.expect(coalescer.snapshot.stored == 0, "what is invalidated is not kept")
  }
}
