import CoalescingTasks

// MARK: - How callers are answered

extension ReloadLog {
  func returns(_ number: Int, _ answer: Int) {
    let caller = requests[number]
    world.note(caller.name, "is answered", "\(number) by \(answer)")
    let load = loads[answer] ?? Load()
    world.expect(load.applied != nil, "callers go on after their result was applied", "\(number) by \(answer)")
    isAnswered(number, answer, load)
    if answer != number, requests[answer].policy == .supersede { world.meet("carried over") }
  }

  /// By what a load returned or threw.
  private func isAnswered(_ number: Int, _ answer: Int, _ load: Load) {
    let caller = requests[number]
    let isNew = caller.policy == .join || load.entered > caller.asked
    world.expect(isNew, "who does not join gets what was loaded after it asked", "\(number) by \(answer)")
    let stayed = (caller.cancelled ?? .max) < load.quiet && caller.asked < load.entered
    world.expect(!stayed, "who is cancelled leaves at once", "\(number)")
    settle(number)
  }

  func isRefused(_ number: Int, _ error: any Error) {
    let caller = requests[number]
    switch error {
    case is CancellationError:
      world.note(caller.name, "leaves", "\(number)")
      world.expect(caller.cancelled != nil, "no caller leaves that was not cancelled", "\(number)")
      world.meet("left")
      settle(number)
    case JobRejection.withdrawn:
      world.note(caller.name, "is withdrawn", "\(number)")
      let why = cancels.contains { ($0.ended ?? .max) > caller.asked }
      world.expect(why, "no caller is withdrawn unless cancel() was called", "\(number)")
      world.meet("withdrawn")
      settle(number)
    case let error as LoadError:
      guard let (answer, load) = loads.first(where: { $0.value.error === error }) else {
        return world.expect(false, "no error comes from nowhere", "\(number)")
      }
      world.note(caller.name, "fails", "\(number) by \(answer)")
      world.expect(load.applied == nil, "a failure applies nothing", "\(number) by \(answer)")
      world.meet("failed")
      isAnswered(number, answer, load)
    default: world.expect(false, "no other error comes out of a call", "\(number): \(error)")
    }
  }

  private func settle(_ number: Int) {
    world.expect(requests[number].answered == nil, "each caller is answered once", "\(number)")
    requests[number].answered = tick()
  }

  /// What must be true when every task has ended.
  func check() {
    let snapshot = reloader.snapshot
    let isIdle = snapshot.running == 0 && snapshot.next == nil && snapshot.waiting == 0
    world.expect(isIdle, "nothing is left in the end", "\(snapshot)")
    for (number, load) in loads { world.expect(load.hasEnded, "each load comes to its end", "\(number)") }
    for (number, request) in requests.enumerated() {
      if request.waits {
        world.expect(request.answered != nil, "each caller is answered", "\(number)")
      } else if !cancels.contains(where: { ($0.ended ?? .max) > request.asked }) {
        world.expect(wasServed(request), "the newest that the screen asked for always lands", "\(number)")
      }
    }
  }

  /// A load that is new enough has landed, or failed.
  private func wasServed(_ request: Request) -> Bool {
    loads.values.contains { load in
      let isNew = request.policy == .join || load.entered > request.asked
      return isNew && (load.error != nil || (load.applied ?? 0) > request.asked)
    }
  }
}
