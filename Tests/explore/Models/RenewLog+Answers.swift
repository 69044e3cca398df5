import CoalescingTasks

// MARK: - What is reported

extension RenewLog {
  func report(_ event: TaskEvent) {
    switch event.kind {
    case .began: begins(event.place ?? 0)
    case .joined: joins(event.place ?? 0)
    case .finished: finishes(event.place ?? 0, failed: false)
    case .failed: finishes(event.place ?? 0, failed: true)
    case .rejected(let why): world.expect(why == .cancelled, "only cancelled callers are rejected", "\(why)")
    case .left: break
    default: world.expect(false, "a renewal has no line and serves no caller", "\(event)")
    }
    world.point()
    // The renewal's own task looks at the clock next, before anybody else can.
    if case .finished = event.kind, let index = renewals.lastIndex(where: { $0.number == event.place }) {
      clock.onReading = { self.renewals[index].landed = $0 }
    }
  }

  private func begins(_ number: UInt64) {
    guard let call = Caller.call else { return world.expect(false, "a renewal is started by a call", "\(number)") }
    world.note(calls[call].name, "starts", "\(number)")
    world.expect(calls[call].renewal == nil, "a call starts one renewal at most", calls[call].name)
    world.expect(!calls[call].wasCancelled, "cancelled before the call starts nothing", calls[call].name)
    world.expect((renewals.last?.number ?? 0) < number, "renewals have rising numbers", "\(number)")
    let isOpen = { (renewal: Renewal) in !renewal.hasEnded && !renewal.isCleared && renewal.runs == 1 }
    if joinWindow == nil, clears.isEmpty {
      world.expect(!renewals.contains(where: isOpen), "callers that come while a renewal runs join it", "\(number)")
    }
    renewals.append(Renewal(owner: call, number: number, registered: tick(), began: calls[call].reading))
    board(call, renewals.count - 1)
  }

  private func joins(_ number: UInt64) {
    guard let call = Caller.call, let index = renewals.lastIndex(where: { $0.number == number }) else {
      return world.expect(false, "a renewal is reported before it is joined", "\(number)")
    }
    world.note(calls[call].name, "joins", "\(number)")
    world.meet("joined")
    let isForgotten = clears.contains {
      $0.began > renewals[index].registered && ($0.ended ?? .max) < calls[call].asked
    }
    world.expect(!isForgotten, "no caller joins what was cleared", calls[call].name)
    world.expect(!renewals[index].isFinished || joinWindow != nil || !isAlone(index), "no caller joins what is over")
    if let joinWindow, !clock.isHesitant, let began = renewals[index].began, let now = calls[call].reading {
      world.expect(
        now - began < joinWindow, "no caller joins a renewal that is older than the join window", "\(number)")
    }
    board(call, index)
  }

  /// Whether no task is in the middle of reporting its end.
  private func isAlone(_ index: Int) -> Bool { renewals[index].landed != nil && !clock.isHesitant }

  private func board(_ call: Int, _ renewal: Int) {
    calls[call].renewal = renewal
    calls[call].boarded = tick()
  }

  private func finishes(_ number: UInt64, failed: Bool) {
    guard let index = renewals.lastIndex(where: { $0.number == number }) else { return }
    let renewal = renewals[index]
    world.expect(!renewal.isFinished, "a renewal is reported finished once", "\(number)")
    renewals[index].isFinished = true
    if renewal.runs == 0 { return world.expect(failed, "a renewal that never began did not succeed", "\(number)") }
    let isRight = renewal.hasEnded && (calls[renewal.owner].work.error != nil) == failed
    world.expect(isRight, "a renewal is reported as it ended", "\(number)")
  }
}

// MARK: - How calls are answered

extension RenewLog {
  func returns(_ call: Int, _ number: UInt64) {
    let asker = answer(call)
    let detail = "\(asker.name), with \(number)"
    world.note(asker.name, "is given", "\(number)")
    guard let renewal = renewals.first(where: { $0.number == number }) else {
      return world.expect(false, "a value comes from a renewal", detail)
    }
    world.expect(renewal.hasEnded && calls[renewal.owner].work.error == nil, "a value is what was returned", detail)
    world.expect(number >= asker.floor, "never an older value after a newer one", "\(detail) after \(asker.floor)")
    world.expect(number != asker.rejected, "no caller is given what it has rejected", detail)
    world.expect(!asker.mustBeWithdrawn, "those who wait are rejected when the value is cleared", detail)
    let isForgotten = clears.contains { $0.began > renewal.registered && ($0.ended ?? .max) < asker.asked }
    world.expect(!isForgotten, "nothing is returned that was cleared before the call", detail)
    newest = max(newest, number)
    // Who has waited is answered by its own renewal or a newer one.
    let own = asker.renewal.map { renewals[$0] }
    guard let own, own.number <= number else { return isServed(asker, renewal, own) }
    if own.number < number { world.meet("overtaken") }
    let hasStayed = own.number == number && (asker.cancelled ?? .max) < own.quiet && asker.boarded < own.quiet
    world.expect(!hasStayed, "who is cancelled leaves at once", detail)
    world.expect(!asker.mustBeServed, "a value that is valid is returned at once", detail)
  }

  private func isServed(_ asker: Call, _ renewal: Renewal, _ own: Renewal?) {
    world.meet(own == nil ? "served" : "renewed behind")
    if asker.rejected != nil { world.meet("served the newer value") }
    world.expect(own == nil || renewAhead > 0, "nothing is renewed behind a value that is fresh", asker.name)
    guard let landed = renewal.landed, let reading = asker.reading else { return }
    let validity = calls[renewal.owner].work.validity
    world.expect(reading < landed + validity, "past its validity a value is renewed", asker.name)
  }

  func fails(_ call: Int, _ error: any Error) {
    let asker = answer(call)
    world.expect(!asker.mustBeServed, "a value that is valid is returned at once", "\(asker.name): \(error)")
    switch error {
    case is CancellationError:
      world.note(asker.name, "leaves")
      world.meet("left")
      world.expect(asker.cancelled != nil, "no caller leaves that was not cancelled", asker.name)
      world.expect(!asker.mustBeWithdrawn, "those who wait are rejected when the value is cleared", asker.name)
    case JobRejection.withdrawn:
      world.note(asker.name, "is withdrawn")
      world.meet("withdrawn")
      let wasCleared = clears.contains { ($0.ended ?? .max) > asker.asked }
      world.expect(wasCleared, "no caller is withdrawn unless the value is cleared", asker.name)
    case let error as RenewError:
      world.note(asker.name, "is given", "an error")
      world.meet("failed")
      let own = asker.renewal.map { renewals[$0] }
      let isOwn = own.map { $0.hasEnded && calls[$0.owner].work.error === error } ?? false
      world.expect(isOwn, "an error is that of the renewal that was waited for", asker.name)
      world.expect(!asker.mustBeWithdrawn, "those who wait are rejected when the value is cleared", asker.name)
    default: world.expect(false, "no other error comes out of a call", "\(asker.name): \(error)")
    }
  }

  private func answer(_ call: Int) -> Call {
    world.expect(!calls[call].isAnswered, "each call is answered once", calls[call].name)
    calls[call].isAnswered = true
    return calls[call]
  }

  /// What must be true when every task has ended.
  func check() {
    for call in calls { world.expect(call.isAnswered, "each call is answered", call.name) }
    for renewal in renewals {
      let mayNotRun = renewal.isCleared || joinWindow != nil
      let isWell = renewal.isFinished && (renewal.runs == 1 || mayNotRun)
      world.expect(isWell, "each renewal runs once and comes to its end", "\(renewal.number)")
    }
    let snapshot = token.snapshot
    world.expect(snapshot.running == 0 && snapshot.waiting == 0, "nothing is left in the end", "\(snapshot)")
  }
}
