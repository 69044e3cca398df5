import SerialTasksTesting
import TestWatch
import Testing

extension Cell {
  /// How all that was accepted is waited for.
  private enum End: CaseIterable { case drain, pause, shutDown, shutDownNow }

  func handlers() async throws {
    for end in End.allCases {
      for isWithdrawn in [false, true] {
        let settings = Settings(isObserved: settings.isObserved, slots: settings.slots)
        try await Cell(way: way, settings: settings).handlers(end, isWithdrawn: isWithdrawn)
      }
    }
    try await handlersOfWhatRuns()
  }

  /// ```
  ///   main actor: busy ───────────┤ the handler
  ///   work:       ends
  ///   end:             waits …………………………………………┤
  /// ```
  private func handlers(_ end: End, isWithdrawn: Bool) async throws {
    let (busy, submit) = (await BusyMainActor(), try #require(stage.submit))
    defer { busy.release() }
    if isWithdrawn { desk.pause() }
    let handle = submit(work())
    // Before the end, or after it.
    if isWithdrawn { call(on: handle) }
    if isWithdrawn { desk.withdrawAll() }
    #expect(await handle.result() == (isWithdrawn ? .rejected(.withdrawn) : .value(1)))
    try await expectIdle()
    if !isWithdrawn { call(on: handle) }
    if isWithdrawn { desk.resume() }
    let ending = Task.immediate { [self] in
      try await wait(end)
      log("returned")
    }
    // Time to return too early.
    for _ in 1...20 { await Task.yield() }
    let ran = isWithdrawn ? [] : ["work"]
    expectRan(ran)
    busy.release()
    try await ending.value
    expectRan(ran + ["handler", "handler", "returned"])
  }

  /// What runs when the wait begins ends while the main actor is busy.
  private func handlersOfWhatRuns() async throws {
    for end in [End.drain, .pause, .shutDown] {
      let cell = Cell(way: way, settings: Settings(isObserved: settings.isObserved, slots: settings.slots))
      try await cell.handlersOfWhatRuns(end)
    }
  }

  private func handlersOfWhatRuns(_ end: End) async throws {
    let (busy, gate, submit) = (await BusyMainActor(), Gate(), try #require(stage.submit))
    defer { busy.release() }
    let handle = submit(held(gate))
    call(on: handle)
    await gate.waitForArrivals()
    let ending = Task.immediate { [self] in
      try await wait(end)
      log("returned")
    }
    gate.open()
    #expect(await handle.result() == .value(1))
    for _ in 1...20 { await Task.yield() }
    expectRan(["not cancelled"])
    busy.release()
    try await ending.value
    expectRan(["not cancelled", "handler", "handler", "returned"])
  }

  /// A job may have several handlers.
  private func call(on handle: Handle) {
    for _ in 1...2 { handle.whenCompleteOnMainActor { [log] _ in log("handler") } }
  }

  /// Nothing is interrupted, for what was handed in has ended.
  private func wait(_ end: End) async throws {
    switch end {
    case .drain: try await desk.drain()
    case .pause: try await desk.pauseAndWait()
    case .shutDown: #expect(await desk.shutDown(within: .seconds(3_600)))
    case .shutDownNow: #expect(await desk.shutDown(within: .zero))
    }
  }
}
